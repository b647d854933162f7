# gaussdp: differentially private aggregates for PostgreSQL
#
#   make                build            make install         install (as root)
#   make demo           the main job, on a throw-away server, from a fresh clone; DATA=FILE.csv[.gz]
#   make test           the tests, from a fresh clone; make test-KIND one kind; GAUSSDP_ALL=1 make test   those too that take long
#   make deps           the Debian packages that building and running need
#   make test-core      PostgreSQL's own tests with gaussdp preloaded (fetches its source package)
#   make test-citus     distributed tables, on three servers; PG_CONFIG names a PostgreSQL that has Citus
#   make test-versions  pg_regress to attacks on the other majors (needs root and the network)
#   make test-coverage  which lines of src/ the tests run, which refusals they see
#   make test-assert    tests on a server with assertions, and while it drops its caches whenever it may
#   make test-valgrind  tests with the server under valgrind
#   make test-sanitize  tests with the library under ASan and UBSan, in the server
#   make bench          the benchmarks of bench/, each paired with what it is compared to; make bench-NAME one
#   make test-crash   the ledger: ROUNDS (200) rounds of races, of kill -9 and of failover under load
#   make test-generator  100,000 random questions and a judge, from where it ended; COUNT=... for less
#   make fuzz-contained 10^6 calls of functions on rows that fail or not, in each of four encodings; FUZZ=test/versions on the other majors
#   make test-scale     100 million rows, 5 million groups, 10 million people, a journal of 10 million rows; ROWS=... GROUPS_=... for less
#   make nightly        the long forms of the tests, one after the other, and a table of their results: build/nightly.md
#   make mutants        does a test fail when a check is taken out? (test/mutants.tsv)
#   make test-clients   SQL of dbplyr, SQLAlchemy, Django, JDBC, ODBC and others (needs the network once)
#   make dist           the archive of a release for PGXN      make deb   Debian packages      make sbom   what it is made of
#   make check-format   is the code formatted?     make testlib   the tests' own module
#   make WERROR=        builds in spite of warnings, for a compiler that we do not know
#   make with_llvm=no   leaves out the bitcode for the JIT compiler, two fifths of the compile time

EXTENSION   = gaussdp
# Where the sources are: here, or in VPATH, for a build in a folder of its own (make -f ../Makefile VPATH=..).
TOP        := $(or $(VPATH),.)
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" $(TOP)/gaussdp.control)
# PGXN, CHANGELOG.md and the tags of a release have three numbers.
RELEASE     = $(EXTVERSION).0
# DATA=FILE on the command line is what "make demo" shall load; PGXS has its own use for the name: scripts of ALTER EXTENSION.
DEMO_FILE  := $(DATA)
override DATA = $(notdir $(wildcard $(TOP)/gaussdp--*--*.sql))
DATA_built  = gaussdp--$(EXTVERSION).sql
MODULE_big  = gaussdp

# A part is a folder; docs/architecture.md says which may include which.
objects     = $(patsubst $(TOP)/%.c,%.o,$(sort $(wildcard $(addsuffix /*.c,$(addprefix $(TOP)/src/,$(1))))))
CORE_OBJS   = $(call objects,core)
GDP_OBJS    = $(call objects,gdp)
POLICY_OBJS = $(call objects,policy policy/rewrite policy/hints policy/proof policy/exec policy/people policy/explain policy/contained)
AGGREGATE_OBJS   = $(call objects,aggregate)
DECLARATION_OBJS = $(call objects,declaration)
OBJS = $(patsubst $(TOP)/%.c,%.o,$(sort $(wildcard $(TOP)/src/*.c))) $(POLICY_OBJS) $(call objects,citus ledger) \
       $(AGGREGATE_OBJS) $(DECLARATION_OBJS) $(call objects,calibration) $(GDP_OBJS) $(CORE_OBJS)

# The install script, in the order in which its parts need each other.
SQL_PARTS = src/gaussdp.sql \
            $(addprefix src/calibration/,gaussian.sql composition.sql conversion.sql noise.sql accuracy.sql transform.sql) \
            $(addprefix src/aggregate/,estimate.sql count.sql sum.sql avg.sql cells.sql keep_group.sql variance.sql \
                                       histogram.sql cdf.sql quantile.sql vector.sql regression.sql automatic.sql short.sql people.sql) \
            src/citus/distributed.sql \
            src/declaration/declaration.sql src/declaration/carry.sql \
            src/citus/nodes.sql \
            $(addprefix src/ledger/,tables.sql budget.sql views.sql statistics.sql archive.sql columns.sql) \
            src/citus/check_nodes.sql \
            $(addprefix src/policy/,contained/allowed.sql explain/check_access.sql explain/check_people.sql explain/check_policy.sql explain/suggest.sql explain/suggest_max_rows.sql explain/tool_schema.sql explain/explain_privacy.sql rewrite/plain.sql contained/contained.sql lock_down.sql exec/weights.sql exec/image.sql exec/last_answer.sql exec/publish.sql exec/measures.sql) \
            src/comments.sql src/privileges.sql

REGRESS      = $(patsubst $(TOP)/sql/%.sql,%,$(sort $(wildcard $(TOP)/sql/*.sql)))
REGRESS_OPTS = --load-extension=gaussdp
EXTRA_CLEAN  = build/native build/testlib build/test build/dist build/policy-nodes-$(MAJORVERSION)

PG_CONFIG ?= pg_config
# PGXS counts as absent without the server's headers: a machine with libpq-dev and a client alone
# has a pg_config, and on Debian even a pgxs.mk, but nothing to compile against.
SERVER_INCLUDE := $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)
PGXS := $(and $(wildcard $(SERVER_INCLUDE)/postgres.h),$(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null)))

# Flags that change arithmetic go to PG_CPPFLAGS, which also reaches the bitcode; the server's
# headers are not clean under -Wextra and come by -isystem.  Only what the server looks up by name is seen
# from outside, so that no library that is loaded before can take the place of a function.
WERROR     ?= -Werror
PG_CPPFLAGS = -I$(TOP)/src -DGAUSSDP_VERSION='"$(EXTVERSION)"' -ffp-contract=off -isystem $(SERVER_INCLUDE)
PG_CFLAGS   = -Wall -Wextra $(WERROR) -fno-math-errno -fvisibility=hidden $(if $(findstring clang,$(CC)),$(CLANG_QUIET))
# A server that was built by gcc hands its flags to clang, and its walkers cast functions, which PostgreSQL allows itself, too.
CLANG_QUIET = -Wno-unknown-warning-option -Wno-ignored-optimization-argument -Wno-unused-command-line-argument -Wno-cast-function-type-strict

ifeq ($(PGXS),)
all install installcheck testlib:
	@echo "gaussdp needs PostgreSQL's server headers, but '$(PG_CONFIG)' knows of none." >&2
	@echo "'make deps' installs them on Debian; PG_CONFIG=/path/to/pg_config names others." >&2
	@exit 1
clean:
	rm -rf $(EXTRA_CLEAN) $(DATA_built)
else
include $(PGXS)
# gcc warns of -flto that does not say how many jobs the link may take.
ifeq ($(findstring clang,$(CC)),)
override CFLAGS := $(patsubst -flto,-flto=auto,$(CFLAGS))
override LDFLAGS := $(patsubst -flto,-flto=auto,$(LDFLAGS))
endif
# prefix=DIR installs into DIR/share and DIR/lib, with /postgresql after them unless DIR has that in it: as PostgreSQL 18
# documents it, on every major and where its packager has other folders.
ifeq ($(origin prefix),command line)
PREFIX_TAIL := $(if $(findstring pgsql,$(prefix))$(findstring postgres,$(prefix)),,/postgresql)
override datadir := $(prefix)/share$(PREFIX_TAIL)
override pkglibdir := $(prefix)/lib$(PREFIX_TAIL)
endif
# In a folder of its own the objects need folders, too; as targets make would find those of the sources.
$(if $(VPATH),$(shell mkdir -p $(sort $(dir $(OBJS)))))
# No exceptions for plain C; the server's calling convention leaves parameters unused elsewhere.
$(filter-out $(CORE_OBJS) $(GDP_OBJS),$(OBJS)): CFLAGS += -Wno-unused-parameter
$(CORE_OBJS) $(GDP_OBJS): CFLAGS += -Wshadow -Wconversion -Wno-sign-conversion

# The tests' own functions, with a copy of what they call: the released library shows them nothing.
TESTLIB_SOURCES = $(sort $(wildcard test/module/*.c))
TESTLIB_OBJS    = src/report.o src/invalidation.o src/query_tree.o src/calibration/calibration.o $(addprefix src/policy/people/,people_rows.o person_groups.o row_partitions.o row_reading.o) $(AGGREGATE_OBJS) $(DECLARATION_OBJS) $(GDP_OBJS) $(CORE_OBJS)
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
$(NODES_KNOWN): src/policy/proof/nodes.awk src/policy/proof/nodes.txt $(NODES_HEADERS)
	@mkdir -p $(@D)
	awk -f $^ && touch $@
endif

$(DATA_built): src/expand.awk $(SQL_PARTS)
	awk -f $^ >$@.new && mv $@.new $@

# PGXS tracks no headers: an object is compiled anew when any of them changes.
HEADERS_ALL = $(wildcard $(addprefix $(TOP)/,src/*.h src/*/*.h src/*/*/*.h src/*/*/*.inc))
$(OBJS) $(OBJS:.o=.bc): $(HEADERS_ALL)
# Each of them, and no library: with -fsyntax-only, for another compiler's warnings.
objects: $(OBJS)

TESTS = unit regress docs pgtap isolation tap neighbours audit fuzz attack guards sanitized
BENCHES = $(sort $(notdir $(shell find bench -maxdepth 1 -type f -perm -u+x 2>/dev/null)))

deps:
	@test/deps demo
demo:
	@test/deps demo
	@demo/run '$(DEMO_FILE)'
test:
	@test/deps $(if $(GAUSSDP_ALL)$(GAUSSDP_FULL),neighbours,test)
	@test/run
$(TESTS:%=test-%): test-%:
	@test/deps $(if $(filter neighbours,$*),neighbours,test)
	@test/run $*
# Not every difference is ours: test/core says which.
test-core:
	@test/deps core
	@$(MAKE) -s all && $(if $(filter 0,$(shell id -u)),,sudo) $(MAKE) -s install >/dev/null
	@test/core
# Nothing is run on a server without Citus, which is said with status 3.
test-citus:
	@PG_CONFIG='$(PG_CONFIG)' test/citus
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
	@for b in $(BENCHES); do bench/$$b || [ $$? = 3 ] || exit 1; done
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
FUZZ = test/run
fuzz-contained:
	@test/deps test
	@for encoding in UTF8 EUC_JP LATIN1 SQL_ASCII; do GAUSSDP_FULL=1 GAUSSDP_ENCODING=$$encoding $(FUZZ) test/fuzz/contained.sql || exit; done
test-scale:
	@test/deps test
	@$(MAKE) -s all && $(if $(filter 0,$(shell id -u)),,sudo) $(MAKE) -s install >/dev/null
	@test/scale
test-clients:
	@test/deps test
	@$(MAKE) -s all && $(if $(filter 0,$(shell id -u)),,sudo) $(MAKE) -s install >/dev/null
	@test/clients/run $(CLIENTS)
# What a release consists of; CONTRIBUTING.md has the steps.
dist:
	@packaging/dist
deb:
	@packaging/deb
sbom:
	@mkdir -p build && packaging/sbom >build/gaussdp-$(RELEASE).spdx.json && echo build/gaussdp-$(RELEASE).spdx.json
# Goes on after a failure; FORMS='valgrind crash' for some.
nightly:
	@test/nightly
mutants:
	@test/deps test
	@test/mutants $(MUTANTS)
check-format:
	clang-format-14 --dry-run --Werror $(wildcard src/*.[ch] src/*/*.[ch] src/*/*/*.[ch] test/*/*.[ch])

.PHONY: fuzz-contained deps deb demo dist objects sbom test test-assert test-citus test-core test-coverage test-crash test-generator test-sanitize test-valgrind test-versions test-clients test-scale testlib mutants nightly bench bench-ready $(BENCHES:%=bench-%) check-format $(TESTS:%=test-%)
