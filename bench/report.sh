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
  section 'How far off quantiles are' quantiles.md \
    'Root mean square errors of answers at (epsilon, 1e-6), beside those of the exponential mechanism at the same mu, computed exactly. Bounds are as somebody would give them, or far too wide. A hundred answers a cell, so that an error here is within 7 %, or much more where rare answers are far off.'
  section 'Distributed tables' citus.md \
    'A coordinator and two workers of Citus on one machine, in turns in one session. CPU is the time of all processes of the three servers; kinds for which there is no built-in aggregate stand beside an average. The first table was measured on a busy machine. The second one is of before quantiles were searched for, on a leaf for nearly each value, and before averages with automatic bounds looked closer.'
  section 'What the library adds to a trivial query' planner_hook.md \
    'Two sessions of one server, one with the library, in turns.'
  section 'What the clean room costs' room.md \
    'The same query by an analyst, for whom it is proven, and by the owner of the table, in turns in one session. A level gives back what it has loaded into caches of the catalogs, and empties none; when it emptied all, this was 900 to 1,250 us (2,500 for 1,000 public keys). Under a load far above the number of cores every time grows.

Instructions do not: by callgrind, of PostgreSQL 15.20, what the analyst has more than the owner without the charge is, in thousands, 162 for count, 210 for sum with WHERE, 193 for average, 305 for groups above a threshold, 225 for 4 partitions, 174 for a level in WITH, 340 for a LEFT JOIN of 10 public keys, 2,660 of 1,000 (the owner: 6,256), 1,705 for a join to 1,000 public rows, which are read once more, stored and their keys compared; prepared 124 for count, 248 for groups, 264 for 4 partitions. An owner runs count in 191, and a prepared level is planned each time it runs.'
  section 'How long a proof takes' complexity.md \
    'What `gaussdp.explain_privacy` takes for a query of n parts, and how many times what it takes for half as many. Time in proportion is 2; beside a role that the policy lets alone, for which the query is parsed and no more. Larger queries than the last ones are refused (54001). What grows faster is short: of joined relations, 100 at most, each one more adds the columns of all before it to the query, whose nodes are nearly four times as many then, and the constants of a nested sum, 2,000 at most, are folded by PostgreSQL in steps that grow with its depth.'
  section 'What time tells of one person' time.md \
    'The same query of the same tables, with and without one person who has as much as its shape can show, in turns in one session; medians. Time is outside of what is promised. The figures are of a machine under a load far above the number of its cores, so that differences of less than about five milliseconds are its noise.'
  section 'What expressions cost that are NULL where they fail' contained.md \
    'An expression on protected rows that may fail is [contained](analyst.md#functions-that-fail-on-some-rows). Beside it the same one as PostgreSQL runs it, in turns in one session. Arithmetic of two values and texts of digits have ways of their own; another single function is called, and any other expression run by the executor, where an error is caught.'
  section 'What questions about people cost' questions.md \
    'The fifteen questions of the [tutorial](tutorial.md), by an analyst and by the owner of the tables, in turns in one session. What weights cost, which is measured further below, and the charge are set apart. The table is of before private queries read no index. Since then three rounds on a busy machine (load 17) gave a median of 1.27 and, the weights aside, of 1.15; question 14 went from 0.93 to 2.17, no other one above 3.80. A question of a few rows of a large table now reads all of it: partition the table by what is asked for.'
  section 'People who own many rows' people.md \
    'How far counts and sums by group are off where a person counts as k rows by weights, where k rows of each person are kept at random, and where m groups of each person are kept at random, with r rows or a limited sum in each. All have the same noise mechanism, at mu 0.25 and 1 (epsilon 1.06 and 4.89 at delta 1e-6), the L2 sensitivity that their own bounding leaves (k; k; r sqrt(m), each times the bound of a value, or the limit times sqrt(m)), and the best of up to 19 numbers for each parameter and, for sums, of six bounds. The error is the root of the mean square over all groups, which are taken as public.

On these tables (MIMIC-III Clinical Database Demo 1.4, ODbL 1.0; Panel Study of Income Dynamics, 595 people with seven rows each) weights have 0.75 to 0.96 of the error of the best other way where people are in several groups. They gain nothing where each is in one, or there are none: a weighted sum is a clamped sum of each person there. They lose where all people are alike, with one row in each of seven groups: all that there is then is the noise of sqrt(7) rows, and k is a whole number, 3 (1.13). And 94 people are few: at mu 0.25 a count by drug is hardly better than 0 in any way, the root mean square of the numbers.

Averages, standard deviations and histograms are [clipped as a whole](mathematics.md#people-who-own-many-rows), each person in each group once. The last table has their errors beside those of weighing each row by their number, at the best k of each: 0.67 to 1.00, but 1.53 for the average of stays at mu 1. Most stays last a day or a few, and who has several leans more toward the 10 days in the middle of the bounds.'
  section 'As how many rows a person counts, where that is found' limits.md \
    'The error of the power of two that is chosen from a noisy histogram, over that of the best one, which nobody knows: the median of 400 histograms, and what 95 % of them do not exceed. Errors are root mean squares over groups, of what is cut off and of noise; the choice has three quarters of mu^2 for its noise, the best one all of it. k = 1 is the error of counting everybody as one row. Simulated people, with so many rows each.'
  section 'What weights cost in time' people_speed.md \
    'A weighted level, beside the same over a table with a unique unit and beside bounding that its owner has written by hand: the first eight rows of a person by row_number(), or the sum of each person, clamped, by GROUP BY person, both at the better work_mem. In turns in one session, by its time on a processor; hash_mem_multiplier is 2, so that weighted levels have 2 GB, where all rows stay in memory, or 4 MB, where they go to files. What two processes take is measured by the clock, which tells something only on a machine that does nothing else; they hand rows to each other in files, whatever memory there is. Window functions took 7 to 20 times the level over a unique unit. Weights are one number for all calls of a level and all its groups; what is written by hand bounds one call, in each group by itself.'
  section 'What sub-queries that group by people cost' people_grouped.md \
    'The same question by an analyst, whose sub-query is grouped by partitions of people, and by the owner of the tables, whose PostgreSQL groups it by a hash table of all people (count(DISTINCT person) as SELECT DISTINCT, which it does not sort). In turns in one session, by its time on a processor; hash_mem_multiplier is 2. The analyst of rows in 12 groups has them weighed, too, which the owner has not. How many people there are the planner does not know: where they are few and rows have texts, the hash aggregate would be faster (2 million rows of 100 people, another hour: 326 against 198 ms where the unit is a text, 821 against 400 ms for nine numbers of each from ten columns). So it is taken where rows have texts and are fewer than about 200,000.'
  section 'How long a budget lasts' dashboard.md \
    'Equal questions asked again ([administrator'"'"'s guide](admin.md#answers-that-are-shown-again)). The first table is reckoned from what ten charts are charged, each account paying once for each draw; the second one is what a population with epsilon 1 answers, in plain SQL at epsilon 0.2, three of the ten questions being about the region of who asks.'
  section 'Charges' ledger.md \
    'Every charge is its own statement, and is answered only after its commit is on disk; sessions wait for commits together.'
  [ ! -e docs/benchmarks.d/ledger_snapshot.md ] || { echo; cat docs/benchmarks.d/ledger_snapshot.md; }
} > docs/benchmarks.md
