#!/bin/bash
set -e
seq 20 | xargs -P 4 -n 1 sh -c 'echo "$1" > "out.$1"' _
cat out.* | sort -n | paste -sd' '
printf '%s\0' 'a b' c | xargs -0 -n1 echo item
seq 3 | xargs -I{} echo "<{}>"
false | xargs -r echo never
seq 2 | xargs -n1 sh -c 'exit 3' || echo "status $?"
