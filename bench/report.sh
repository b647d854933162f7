# Puts the results of the benchmarks (docs/benchmarks.d/*.md) together as docs/benchmarks.md.
set -euo pipefail
cd "$(dirname "$0")/.."

section() # title, file, what it says
{
  [ -e "docs/benchmarks.d/$2" ] || return 0
  printf '\n## %s\n\n%s\n\n' "$1" "$3"
  cat "docs/benchmarks.d/$2"
}

{
  cat <<'TEXT'
# Benchmarks

Written by `make bench`. Each comparison runs interleaved in one session or one program, and what counts is the median
of the paired ratios: absolute times belong to one machine at one hour.
TEXT
  section 'Aggregates against the built-in ones' aggregates.md \
    'One process unless it says otherwise; CPU is the time of the one process on a processor. With workers only wall time compares.'
  [ ! -e docs/benchmarks.d/aggregates.png ] || printf '\n![CPU time of each aggregate as a part of the built-in one](benchmarks.d/aggregates.png)\n'
  section 'The exact sampler against the textbook form' sampler.md \
    'The same algorithm (Canonne, Kamath and Steinke 2020), written as it stands in the paper with 128-bit integers, in one program.'
  section 'The optimal sigma against bisection' solver.md \
    'Plain bisection on the same form of the profile, in one program.'
  section 'What the library adds to a trivial query' planner_hook.md \
    'Two sessions of one server, one with the library, in turns.'
  section 'What the clean room costs' room.md \
    'The same query by an analyst, for whom it is proven, and by the owner of the table, in turns in one session. A level gives back what it has loaded into caches of the catalogs, and empties none; when it emptied all, this was 900 to 1,250 us (2,500 for 1,000 public keys). Under a load far above the number of cores every time grows: 7 rounds on a quiet machine gave 22 to 58 us, 118 for groups above a threshold, 190 and 1,340 for a LEFT JOIN of 10 and 1,000 public keys, 358 for a join to 1,000 rows.'
  section 'Charges' ledger.md \
    'Every charge is its own statement, and is answered only after its commit is on disk; sessions wait for commits together.'
} > docs/benchmarks.md
