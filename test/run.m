#!/bin/bash
# run: runs the tests, all kinds or those that are named, and ends with "N passed, N failed".
#
#   test/run [unit | regress | pgtap | isolation | tap | neighbours | audit | fuzz | attack |
#             docs | guards] ...
#   test/run test/attack/room_plan.pl ...		these files alone, of folders of .c, .sql and .pl
#
# A kind is a folder (test/README.md); the extension of a file says how it is run:
#
#   .c     a program over the core and the calibration library alone, plain and again under ASan and UBSan
#   .sql   pgTAP, as pg_prove runs it (test/bin/pgtap), each file in a database of its own
#   .pl    TAP, as user postgres where root is not allowed, from a writable copy of the tree
#
# In GAUSSDP_ENCODING, where it is set, databases of pgTAP files are.
#
# pg_regress and isolation specs are run by their own drivers, the SQL of the documents by
# test/examples.pl.  Every server is a throw-away one of pg_virtualenv, with
# shared_preload_libraries = gaussdp; it serves one kind.  What a kind printed is kept in
# build/test/KIND.log.  A kind that has files but ran no test has failed.
set -uo pipefail
cd "$(dirname "$0")/.."
exec </dev/null

top=$PWD
out=$top/build/test
make="${MAKE:-make} --no-print-directory"
jobs=$(nproc)
# Two kinds run side by side, the longest first.
kinds=${*:-attack pgtap tap neighbours guards audit unit docs fuzz regress isolation}
# Files that are named, where any is: these alone, each by its kind.
named=
if [ -f "${1-}" ]; then
  named=" $* "
  kinds=$(dirname "$@" | sort -u | sed 's|.*/||')
fi
passed=0 failed=0

# One locale everywhere, and nothing of the caller's server.
export LC_ALL=C.UTF-8
unset "${!PG@}" MAKEFLAGS MFLAGS MAKELEVEL

sudo=
as_postgres=
if [ "$(id -u)" = 0 ]; then
  as_postgres="setpriv --reuid=postgres --regid=postgres --init-groups env HOME=/tmp"
else
  sudo=sudo
fi

scratch=$(mktemp -d /tmp/gaussdp-test.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
rm -rf "$out"
mkdir -p "$out"

# count KIND STATUS SECONDS FILES: adds up what KIND's log says and shows what failed.
#
# Understands TAP and the lines that pg_regress prints before 16.  A skipped test counts for nothing,
# and neither does one that TAP marks as expected to fail.
count() {
  local kind=$1 status=$2 seconds=$3 files=$4 log=$out/$1.log ok bad skipped note=
  ok=$(grep -cE '^(ok [0-9]+|(test| {3,}) *\S+ +\.\.\. ok)' "$log")
  skipped=$(grep -ciE '^ok [0-9]+.*# *skip' "$log")
  ok=$((ok - skipped))
  bad=$(grep -E '^(not ok|(test| {3,}) *\S+ +\.\.\. FAILED)' "$log" | grep -cvi '# *todo')
  if [ "$bad" = 0 ] && [ "$status" != 0 ]; then
    bad=1 note=", ended with status $status"
  elif [ "$bad" = 0 ] && [ "$ok" = 0 ] && [ "$skipped" = 0 ] && [ "$files" != 0 ]; then
    bad=1 note=", ran no test"
  fi
  passed=$((passed + ok)) failed=$((failed + bad))
  [ "$skipped" = 0 ] || note="$note, $skipped skipped"
  printf '%-10s %6d passed, %d failed  %4d s%s\n' "$kind" "$ok" "$bad" "$seconds" "$note"
  [ "$bad" = 0 ] || show "$kind"
}

# show KIND: its failures and their surroundings; the whole stays in its log.
show() {
  local log=$out/$1.log diff file
  echo "---- $1 (all of it: ${log#"$top"/})"
  if [ "$(wc -l <"$log")" -gt 100 ]; then
    grep -aE -A 12 '^ *(not ok|.*\.\.\. FAILED)|Sanitizer|runtime error' "$log" | head -n 150
    # A file that died has no "not ok": prove says which one, and the last error of psql why.
    for file in $(sed -nE 's|^(test/[^ ]+) +\(Wstat: [1-9].*|\1|p' "$log"); do
      grep -aE -A 3 "^$file +\(Wstat" "$log"
      grep -aE -A 6 "^psql:$file:[0-9]+: (ERROR|FATAL)" "$log" | tail -n 7
    done
    echo "---- $1: the end"
  fi
  tail -n 100 "$log"
  for diff in "$out/$1"/*.diffs; do
    [ ! -e "$diff" ] || head -n 200 "$diff"
  done
  echo "----"
}

# Where a page fault is dear, as in a virtual machine within another, a server spends half of its time in them: memory comes
# in large pages where the kernel has these.
malloc=glibc.malloc.hugetlb=1
echo "GLIBC_TUNABLES = '$malloc'" >"$scratch/environment"
# Backends take a third of their page faults by a library that is loaded into the servers; not in the long form, and not in those
# where another library or program is in its place.
faults=
if [ -z "${GAUSSDP_FULL:-}${GAUSSDP_TOP:-}" ] && ! grep -qs '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled &&
  ${CC:-cc} -O2 -shared -fPIC -o "$scratch/faults.so" test/faults.c >"$out/faults.log" 2>&1; then
  faults=$scratch/faults.so
  echo "LD_PRELOAD = '$faults'" >>"$scratch/environment"
fi
export malloc faults

# chosen PATTERN: the files that match, of those that are named where any is.
chosen() {
  local file
  for file in $(compgen -G "$1"); do
    [ -n "$named" ] && [[ $named != *" $file "* ]] || echo "$file"
  done
}

# files PATTERN: how many these are.
files() {
  chosen "$1" | wc -l
}

# serve [-o SETTING=VALUE]... COMMAND...: runs COMMAND with a throw-away server, at the port of the kind that runs.
serve() {
  PGPORT=$port pg_virtualenv -t -v "$major" -c "--environment=$scratch/environment" -o shared_preload_libraries=gaussdp \
    -o max_worker_processes=16 -o max_prepared_transactions=0 "$@"
}

# The shell functions below run inside serve, in the copy of the tree.
run_regress() {
  "$pgxs_test/regress/pg_regress" --inputdir=. --outputdir="$out/regress" --bindir="$bindir" \
    --load-extension=gaussdp $(cd sql && ls -- *.sql | sed 's/\.sql$//')
}

run_isolation() {
  "$pgxs_test/isolation/pg_isolation_regress" --inputdir=test/isolation \
    --outputdir="$out/isolation" --bindir="$bindir" --load-extension=gaussdp \
    $(cd test/isolation/specs && ls -- *.spec | sed 's/\.spec$//')
}

# Each file gets a database of its own, in which pgtap and gaussdp are there.
run_pgtap() {
  createdb ${GAUSSDP_ENCODING:+-T template0 --locale=C -E "$GAUSSDP_ENCODING"} gaussdp_template || return
  psql -qXd gaussdp_template -v ON_ERROR_STOP=1 \
    -c 'CREATE EXTENSION pgtap' -c 'CREATE EXTENSION gaussdp' || return
  prove -v --timer --exec test/bin/pgtap "$@"
}

# Each file has servers of its own, and most wait half of their time: two run side by side.
run_pl() {
  local dir=$scratch/$kind.pl
  mkdir -p "$dir/templates"
  chown -R "$(stat -c %U "$scratch/tree")" "$dir"
  printf 'jit = off\ngaussdp.reuse_answers = 0\n' >"$dir/server.conf"
  printf '%s\n' "$@" | $as_postgres env GLIBC_TUNABLES="$malloc" TEMP_CONFIG="$dir/server.conf" PATH="$scratch/tree/test/bin:$PATH" GAUSSDP_TEMPLATES="$dir/templates" PERL5LIB="$pgxs_test/perl" \
    PG_REGRESS="$pgxs_test/regress/pg_regress" TESTDIR="$dir" TESTLOGDIR="$dir/log" TESTDATADIR="$dir/data" \
    xargs -P 1 -n 1 sh -c 'a=$(cat /sys/fs/cgroup/cpuacct/ws_pl2/cpuacct.usage); s=$(date +%s%N); prove -v --timer --exec "perl -Itest/tap -MOnePsql" "$@" >"$TESTDIR/$$" 2>&1; status=$?; b=$(cat /sys/fs/cgroup/cpuacct/ws_pl2/cpuacct.usage); e=$(date +%s%N); cat "$TESTDIR/$$"; echo "PER $(( (b-a)/1000000 )) $(( (e-s)/1000000 )) $1 $status"; exit $status' _
}

run_c() {
  local kind=$1 variant sanitize=
  for variant in plain sanitized; do
    flock build/native.lock $make -s -j"$jobs" -f test/native.mk OUT="build/native/$variant" SANITIZE="$sanitize" || return
    prove -v --timer --exec '' $(chosen "test/$kind/*.c" |
      sed "s|^test/\(.*\)\.c$|build/native/$variant/\1|") || return
    sanitize=-fsanitize=address,undefined
  done
}
export -f run_regress run_isolation run_pgtap run_pl

# run KIND: everything that KIND's folder holds.
run_kind() {
  local kind=$1 part status=0
  case $kind in
    guards) test/guards; return ;;
    regress) cd "$scratch/tree" && serve -o gaussdp.reuse_answers=0 bash -c run_regress; return ;;
    docs) cd "$scratch/tree" && serve test/examples.pl README.md docs/*.md test/asked/*.md; return ;;
    isolation) cd "$scratch/tree" && serve -o gaussdp.reuse_answers=0 bash -c run_isolation; return ;;
  esac
  if [ "$(files "test/$kind/*.c")" != 0 ]; then
    run_c "$kind" || status=1
  fi
  if [ "$(files "test/$kind/*.pl")" != 0 ]; then
    (cd "$scratch/tree" && run_pl $(chosen "test/$kind/*.pl")) || status=1
  fi
  for part in $(jobs -p); do
    wait "$part" || status=1
  done
  [ ! -e "$scratch/$kind.sql" ] || cat "$scratch/$kind.sql"
  return $status
}

# How many files a kind has; 0 means that there is nothing to run.
kind_files() {
  case $1 in
    guards | docs) echo 1 ;;
    regress) files 'sql/*.sql' ;;
    isolation) files 'test/isolation/specs/*.spec' ;;
    *) files "test/$1/*.[cps]*" ;;
  esac
}

# Build and install.  Nothing can run if this fails.  Code that PostgreSQL's compiler may put into a query's (bitcode) takes longer to build
# than all else, and is tried in the long form.
[ -n "${GAUSSDP_FULL:-}" ] || make="$make with_llvm=no"

build() {
  # and none of an earlier build may stand in for it
  $make -j"$jobs" all && $sudo rm -rf "$(pg_config --pkglibdir)"/bitcode/gaussdp{,.index.bc} && $sudo $make install && $make testlib
}

start=$SECONDS
if ! build >"$out/build.log" 2>&1; then
  cat "$out/build.log"
  echo "0 passed, 1 failed"
  exit 1
fi
printf '%-10s %27s %4d s\n' build '' $((SECONDS - start))

# What the server and user postgres read stands where they may read it, whoever owns the clone.
major=$(pg_config --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
bindir=$(pg_config --bindir)
pgxs_test=$(dirname "$(pg_config --pgxs)")/../test
chmod 755 "$scratch"
mkdir "$scratch/tree"
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$scratch/tree" --no-same-owner
GAUSSDP_TESTLIB=
if [ -e build/testlib/gaussdp_test.so ]; then
  cp build/testlib/gaussdp_test.so "$scratch/"
  GAUSSDP_TESTLIB=$scratch/gaussdp_test
fi
# The sources of versions from which a script leads on, for test/tap/ledger_upgrade.pl.
GAUSSDP_RELEASES=$scratch/releases
for script in $(compgen -G 'gaussdp--*--*.sql'); do
  old=${script#gaussdp--} old=${old%%--*}
  git -c safe.directory="$top" archive --format=tar -o "$scratch/old.tar" "v$old" &&
    mkdir -p "$GAUSSDP_RELEASES/$old" && tar -x -C "$GAUSSDP_RELEASES/$old" -f "$scratch/old.tar"
done
GAUSSDP_DATA=
if [ -d ../shared/data ]; then
  cp -rL ../shared/data "$scratch/data"
  GAUSSDP_DATA=$scratch/data
fi
chmod -R a+rX "$scratch"
[ -z "$as_postgres" ] || chown -R postgres: "$scratch/tree"
# The server's own programs: Debian's of the same names in /usr/bin ask first whose server is meant, a tenth of a second each.
export PATH=$bindir:$PATH
export GAUSSDP_TESTLIB GAUSSDP_DATA GAUSSDP_RELEASES out scratch bindir pgxs_test as_postgres

# run_timed KIND: runs it, and leaves its status and seconds in $scratch/KIND.
run_timed() {
  local start=$SECONDS status=0
  (run_kind "$1") >"$out/$1.log" 2>&1 || status=$?
  echo "$status $((SECONDS - start))" >"$scratch/$1"
}

# tell KIND: counts what it printed; one that left no status has failed.
tell() {
  local status=1 seconds=0
  [ ! -e "$scratch/$1" ] || read -r status seconds <"$scratch/$1"
  count "$1" "$status" "$seconds" "$(kind_files "$1")"
}

declare -A running=()

# tell_ended: waits until one of the running kinds has ended, and tells of it.
tell_ended() {
  local ended
  wait -n -p ended "${!running[@]}"
  tell "${running[$ended]}"
  unset "running[$ended]"
}

port=5432
for kind in $kinds; do
  [ "$(kind_files "$kind")" != 0 ] || continue
  [ "${#running[@]}" -lt 2 ] || tell_ended
  port=$((port + 1))
  run_timed "$kind" &
  running[$!]=$kind
done
while [ "${#running[@]}" != 0 ]; do
  tell_ended
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
