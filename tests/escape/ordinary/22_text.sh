#!/bin/bash
set -e
printf '%s\n' 'b 2' 'a 1' 'c 3' 'a 4' > t
sort -k2,2nr t
awk '{sum[$1] += $2} END {for (k in sum) print k, sum[k]}' t | sort
sed -E 's/^(.) (.)$/\2-\1/; 2d' t
sed -i.bak 's/a/A/' t
grep -n '^A' t
cut -d' ' -f1 t | uniq -c
tr a-z A-Z < t | paste -sd,
join <(sort t) <(sort t.bak) | wc -l
comm -12 <(sort t) <(sort t.bak)
seq 1 100000 | sort -R --random-source=/dev/zero | sort -n | tail -1
sort -S 1M -T . --parallel=2 <(seq 200000 -1 1) | head -1
split -l 2 t part.
nl part.aa | column -t
printf 'a\tb\n' | expand | od -c | head -2
shuf -n1 -e only
tac t | rev | fold -w2 | head -3
