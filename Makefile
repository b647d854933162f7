# gaussdp: differentially private aggregates for PostgreSQL
#
#   make                build            make install         install (as root)
#   make demo           the main job, on a throw-away server, from a fresh clone
#   make test           every kind of test, from a fresh clone

EXTENSION   = gaussdp
EXTVERSION  = $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" gaussdp.control)
DATA        = gaussdp--$(EXTVERSION).sql
MODULE_big  = gaussdp

# In the order of the data flow: policy -> ledger -> aggregate -> core.
CORE_OBJS        = src/core/mechanism.o src/core/profile.o src/core/normal.o \
                   src/core/status.o
CALIBRATION_OBJS = src/calibration/gaussian.o src/calibration/calibration.o
DECLARATION_OBJS =
AGGREGATE_OBJS   =
LEDGER_OBJS      =
POLICY_OBJS      =
OBJS = src/gaussdp.o src/settings.o src/report.o \
       $(POLICY_OBJS) $(LEDGER_OBJS) $(AGGREGATE_OBJS) $(DECLARATION_OBJS) \
       $(CALIBRATION_OBJS) $(CORE_OBJS)

REGRESS      = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=gaussdp

PG_CONFIG ?= pg_config
# A machine with libpq-dev alone has a pg_config that names a pgxs.mk it does not have.
PGXS := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))

# Flags that change arithmetic go to PG_CPPFLAGS, which also reaches the bitcode; the server's
# headers are not clean under -Wextra and come by -isystem.
PG_CPPFLAGS = -Isrc -ffp-contract=off -isystem $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)
PG_CFLAGS   = -Wall -Wextra -Werror -fno-math-errno

ifneq ($(PGXS),)
include $(PGXS)
# No exceptions for the core; the server's calling convention leaves parameters unused elsewhere.
$(filter-out $(CORE_OBJS),$(OBJS)): CFLAGS += -Wno-unused-parameter
$(CORE_OBJS): CFLAGS += -Wshadow -Wconversion -Wno-sign-conversion
endif

# PGXS tracks no headers: an object is linked anew when any of them changes.
HEADERS_ALL = $(wildcard src/*.h src/*/*.h)
$(OBJS) $(OBJS:.o=.bc): $(HEADERS_ALL)
