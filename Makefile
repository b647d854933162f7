# gaussdp: differentially private aggregates for PostgreSQL
#
#   make                build            make install         install (as root)
#   make demo           the main job, on a throw-away server, from a fresh clone; DATA=FILE.csv[.gz]
#   make test           every kind of test, from a fresh clone; make test-KIND one kind
#   make deps           the Debian packages that building and running need
#   make test-core      PostgreSQL's own tests with gaussdp preloaded (fetches its source package)
#   make test-citus     distributed tables, on three servers; CITUS_SOURCE=DIR is a clone of Citus
#   make test-versions  pg_regress to attacks on the other majors (needs root and the network)
#   make test-coverage  which lines of src/ the tests run, which refusals they see
#   make test-assert    tests on a server with assertions, and while it drops its caches whenever it may
#   make test-valgrind  tests with the server under valgrind
#   make test-sanitize  tests with the library under ASan and UBSan, in the server
#   make bench          the benchmarks of bench/, each paired with what it is compared to; make bench-NAME one
#   make test-crash   the ledger: ROUNDS (200) rounds of races, of kill -9 and of failover under load
#   make test-generator  100,000 random questions and a judge, from where it ended; COUNT=... for less
#   make test-scale     100 million rows, 5 million groups, 10 million people, a journal of 10 million rows; ROWS=... GROUPS_=... for less
#   make test-clients   SQL of dbplyr, SQLAlchemy, Django, JDBC, ODBC and others (needs the network once)
#   make check-format   is the code formatted?     make testlib   the tests' own module
#   make WERROR=        builds in spite of warnings, for a compiler that we do not know

EXTENSION   = gaussdp
EXTVERSION  = $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" gaussdp.control)
# DATA=FILE on the command line is what "make demo" shall load; PGXS has its own use for the name: scripts of ALTER EXTENSION.
DEMO_FILE  := $(DATA)
override DATA = $(wildcard gaussdp--*--*.sql)
DATA_built  = gaussdp--$(EXTVERSION).sql
MODULE_big  = gaussdp

# In the order of the data flow: policy -> ledger, distributed -> aggregate -> core; calibration -> gdp -> core.
CORE_OBJS        = src/core/budget.o src/core/bins.o src/core/dd.o src/core/dgauss.o src/core/grid.o \
                   src/core/profile.o src/core/nearzero.o src/core/place.o src/core/normal.o \
                   src/core/status.o src/core/weight.o
GDP_OBJS         = src/gdp/accuracy.o src/gdp/bounds.o src/gdp/compose.o src/gdp/concentrated.o \
                   src/gdp/convert.o src/gdp/kov.o src/gdp/mechanism.o src/gdp/pdp.o \
                   src/gdp/refine.o src/gdp/transform.o
CALIBRATION_OBJS = src/calibration/transform.o src/calibration/conversion.o src/calibration/composition.o src/calibration/arrays.o \
                   src/calibration/gaussian.o src/calibration/calibration.o
DECLARATION_OBJS = src/declaration/functions.o src/declaration/lookup.o src/declaration/label.o \
                   src/declaration/population.o src/declaration/owner.o src/declaration/coordinator.o
AGGREGATE_OBJS   = src/aggregate/calls.o \
                   src/aggregate/kinds.o \
                   src/aggregate/args.o \
                   src/aggregate/count.o \
                   src/aggregate/sum.o \
                   src/aggregate/avg.o \
                   src/aggregate/automatic.o src/aggregate/bounds.o src/aggregate/pack.o \
                   src/aggregate/estimate.o \
                   src/aggregate/keep.o \
                   src/aggregate/variance.o \
                   src/aggregate/histogram.o \
                   src/aggregate/quantile.o \
                   src/aggregate/vector.o \
                   src/aggregate/cells.o \
                   src/aggregate/numeric.o \
                   src/aggregate/serialize.o \
                   src/aggregate/weighted.o \
                   src/aggregate/people.o \
                   src/aggregate/random.o
DISTRIBUTED_OBJS = $(addprefix src/distributed/, tables.o split.o share.o fuse.o points.o bytes.o values.o release.o weighted.o gate.o session.o printable.o)
LEDGER_OBJS      = src/ledger/charge.o src/ledger/worker.o src/ledger/batch.o src/ledger/admin.o src/ledger/left.o \
                   src/ledger/charged_roles.o src/ledger/accounts.o src/ledger/rows.o src/ledger/defaults.o src/ledger/journal.o src/ledger/releases.o src/ledger/recent.o src/ledger/owners.o \
                   src/ledger/closing.o src/ledger/rights.o src/ledger/queue.o src/ledger/statistics.o src/ledger/errors.o src/ledger/suspension.o
POLICY_OBJS      = $(addprefix src/policy/, policy.o numbers.o derived.o expected.o explain.o shown.o verdict.o subject.o storage.o unknown.o contents.o) \
                   $(addprefix src/policy/room/, node.o room.o public_rows.o public_keys.o released.o estimates.o locks.o extent.o plan_proof.o \
                   price.o conditions.o side_channels.o nested.o weights.o weight_windows.o window_order.o partition.o partition_count.o partition_totals.o partition_start.o people_order.o shared_partitions.o partition_plan.o grouped_people.o grouped_plan.o people_rows.o row_partitions.o row_reading.o people_table.o people_groups.o \
                   sets.o group_place.o caches.o distributed.o split_level.o servers_proof.o) \
                   $(addprefix src/policy/query/, find.o plain.o empty.o cut.o inputs.o flatten.o level.o inner.o windows.o sublink.o join.o public.o matches.o owners.o paths.o people.o keys.o scale.o keytable.o expression.o \
                   columns.o hidden.o size.o distributed.o) \
                   $(addprefix src/policy/functions/, functions.o arguments.o exact.o arithmetic.o range.o guard.o saturate.o facts.o nearest.o)
OBJS = src/gaussdp.o src/hooks.o src/settings.o src/report.o src/door.o src/version.o src/invalidation.o \
       $(POLICY_OBJS) $(LEDGER_OBJS) $(DISTRIBUTED_OBJS) $(AGGREGATE_OBJS) $(DECLARATION_OBJS) \
       $(CALIBRATION_OBJS) $(GDP_OBJS) $(CORE_OBJS)

# The install script, in the order in which its parts need each other.
SQL_PARTS = src/gaussdp.sql \
            $(addprefix src/calibration/,gaussian.sql composition.sql conversion.sql accuracy.sql transform.sql) \
            $(addprefix src/aggregate/,estimate.sql count.sql sum.sql avg.sql cells.sql keep_group.sql variance.sql \
                                       histogram.sql quantile.sql vector.sql automatic.sql short.sql people.sql) \
            src/distributed/distributed.sql \
            src/declaration/declaration.sql src/declaration/carry.sql \
            src/distributed/nodes.sql \
            $(addprefix src/ledger/,tables.sql budget.sql views.sql statistics.sql archive.sql columns.sql) \
            $(addprefix src/policy/,check_nodes.sql check_access.sql check_people.sql check_policy.sql suggest.sql explain_privacy.sql plain.sql lock_down.sql weights.sql) \
            src/comments.sql src/privileges.sql

REGRESS      = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=gaussdp
EXTRA_CLEAN  = build/native build/testlib build/test build/compilers build/policy-nodes-$(MAJORVERSION)

PG_CONFIG ?= pg_config
# PGXS counts as absent without the server's headers: a machine with libpq-dev and a client alone
# has a pg_config, and on Debian even a pgxs.mk, but nothing to compile against.
SERVER_INCLUDE := $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)
PGXS := $(and $(wildcard $(SERVER_INCLUDE)/postgres.h),$(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null)))

# Flags that change arithmetic go to PG_CPPFLAGS, which also reaches the bitcode; the server's
# headers are not clean under -Wextra and come by -isystem.  Only what the server looks up by name is seen
# from outside, so that no library that is loaded before can take the place of a function.
WERROR      = -Werror
PG_CPPFLAGS = -Isrc -DGAUSSDP_VERSION='"$(EXTVERSION)"' -ffp-contract=off -isystem $(SERVER_INCLUDE)
PG_CFLAGS   = -Wall -Wextra $(WERROR) -fno-math-errno -fvisibility=hidden

ifeq ($(PGXS),)
all install installcheck testlib:
	@echo "gaussdp needs PostgreSQL's server headers, but '$(PG_CONFIG)' knows of none." >&2
	@echo "'make deps' installs them on Debian; PG_CONFIG=/path/to/pg_config names others." >&2
	@exit 1
clean:
	rm -rf $(EXTRA_CLEAN) $(DATA_built)
else
include $(PGXS)
$(DATA_built): $(SQL_PARTS) src/expand.awk
	awk -f src/expand.awk $(SQL_PARTS) >$@.new && mv $@.new $@
# No exceptions for plain C; the server's calling convention leaves parameters unused elsewhere.
$(filter-out $(CORE_OBJS) $(GDP_OBJS),$(OBJS)): CFLAGS += -Wno-unused-parameter
$(CORE_OBJS) $(GDP_OBJS): CFLAGS += -Wshadow -Wconversion -Wno-sign-conversion

# The tests' own functions, with a copy of what they call: the released library shows them nothing.
TESTLIB_SOURCES = $(sort $(wildcard test/module/*.c))
TESTLIB_OBJS    = src/report.o src/invalidation.o src/calibration/calibration.o src/policy/room/people_rows.o $(AGGREGATE_OBJS) $(DECLARATION_OBJS) $(GDP_OBJS) $(CORE_OBJS)
testlib: $(if $(TESTLIB_SOURCES),build/testlib/gaussdp_test.so)
build/testlib/gaussdp_test.so: $(TESTLIB_SOURCES) $(TESTLIB_OBJS) $(wildcard src/*.h src/*/*.h src/*/*/*.h test/module/*.h)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Wno-unused-parameter $(CFLAGS_SL) $(CPPFLAGS) -shared -Wl,-Bsymbolic -o $@ \
		$(TESTLIB_SOURCES) $(TESTLIB_OBJS)
endif

ifneq ($(PGXS),)
# A major whose queries or plans have something that the policy does not know does not build.
NODES_KNOWN   = build/policy-nodes-$(MAJORVERSION)
NODES_HEADERS = $(foreach h,parse prim plan,$(SERVER_INCLUDE)/nodes/$(h)nodes.h)
$(POLICY_OBJS): $(NODES_KNOWN)
$(NODES_KNOWN): src/policy/nodes.awk src/policy/nodes.txt $(NODES_HEADERS)
	@mkdir -p $(@D)
	awk -f src/policy/nodes.awk src/policy/nodes.txt $(NODES_HEADERS) && touch $@
endif

# PGXS tracks no headers: an object is compiled anew when any of them changes.
HEADERS_ALL = $(wildcard src/*.h src/*/*.h src/*/*/*.h)
$(OBJS) $(OBJS:.o=.bc): $(HEADERS_ALL)

TESTS = unit regress docs pgtap isolation tap neighbours audit fuzz attack guards
BENCHES = $(sort $(notdir $(shell find bench -maxdepth 1 -type f -perm -u+x 2>/dev/null)))

deps:
	@test/deps demo
demo:
	@test/deps demo
	@demo/run '$(DEMO_FILE)'
test:
	@test/deps neighbours
	@test/run
$(TESTS:%=test-%): test-%:
	@test/deps $(if $(filter neighbours,$*),neighbours,test)
	@test/run $*
# Not every difference is ours: test/core says which.
test-core:
	@test/deps core
	@$(MAKE) -s all && $(if $(filter 0,$(shell id -u)),,sudo) $(MAKE) -s install >/dev/null
	@test/core
# Nothing is run, and nothing installed, without CITUS_SOURCE.
test-citus:
	@[ -z "$(CITUS_SOURCE)" ] || test/deps citus
	@CITUS_SOURCE='$(CITUS_SOURCE)' test/citus
test-versions:
	@test/versions
# The library built in other ways, apart from what is installed; test/README.md has the last results.
test-coverage:
	@test/deps test
	@test/coverage
test-assert test-sanitize test-valgrind:
	@test/deps debug
	@test/$(@:test-%=%)
bench: bench-ready
	@for b in $(BENCHES); do bench/$$b || exit 1; done
	@bash bench/report.sh
$(BENCHES:%=bench-%): bench-%: bench-ready
	@bench/$*
	@bash bench/report.sh
bench-ready:
	@test/deps test
	@$(MAKE) -s all && $(if $(filter 0,$(shell id -u)),,sudo) $(MAKE) -s install >/dev/null
# The ledger's races, crashes and failovers, 200 rounds each, about an hour; ends with the figures.
ROUNDS ?= 200
test-crash:
	@test/deps test
	@GAUSSDP_ROUNDS=$(ROUNDS) test/run tap; status=$$?; sed -n 's/^# ledger: //p' build/test/tap.log; exit $$status
test-generator:
	@test/deps test
	@$(MAKE) -s all testlib && $(if $(filter 0,$(shell id -u)),,sudo) $(MAKE) -s install >/dev/null
	@test/generator/run $(COUNT)
test-scale:
	@test/deps test
	@$(MAKE) -s all && $(if $(filter 0,$(shell id -u)),,sudo) $(MAKE) -s install >/dev/null
	@test/scale
test-clients:
	@test/deps test
	@$(MAKE) -s all && $(if $(filter 0,$(shell id -u)),,sudo) $(MAKE) -s install >/dev/null
	@test/clients/run $(CLIENTS)
check-format:
	clang-format-14 --dry-run --Werror $(wildcard src/*.[ch] src/*/*.[ch] src/*/*/*.[ch] test/*/*.[ch])

.PHONY: deps demo test test-assert test-citus test-core test-coverage test-crash test-generator test-sanitize test-valgrind test-versions test-clients test-scale testlib bench bench-ready $(BENCHES:%=bench-%) check-format $(TESTS:%=test-%)
