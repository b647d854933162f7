# wrap.sh: functions for the scripts that test/private runs.

bindir=$(pg_config --bindir)

# wrap PREFIX OPTIONS: from now on a server is started as "PREFIX postgres ... OPTIONS"; initdb is spared.
wrap() {
  [ -e "$bindir/postgres.plain" ] || mv "$bindir/postgres" "$bindir/postgres.plain"
  cat >"$bindir/postgres" <<SCRIPT
#!/bin/sh
[ "\$1" != -D ] || exec $1 $bindir/postgres.plain "\$@" $2
exec $bindir/postgres.plain "\$@"
SCRIPT
  chmod 755 "$bindir/postgres"
}

# only KIND NAME...: of the files of a kind, no others are run.
only() {
  local kind=$1 file
  shift
  for file in test/"$kind"/*.*; do
    case $file in *.sql | *.pl | *.c) [[ " $* " == *" $(basename "${file%.*}") "* ]] || rm "$file" ;; esac
  done
}

# tests NAME KIND...: runs the kinds and keeps what they printed in build/NAME of the tree that was copied.
tests() {
  local out=$GAUSSDP_TOP/build/$1 status=0
  shift
  rm -rf "$out"
  mkdir -p "$out"
  test/run "$@" 2>&1 | tee "$out/run.log" || status=1
  cp -r build/test "$out"
  return $status
}
