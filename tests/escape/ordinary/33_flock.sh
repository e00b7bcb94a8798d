#!/bin/bash
# needs: flock
set -e
exec 9> lock
flock 9
flock -n lock true || echo "held: $?"
flock -u 9
flock -n lock echo free
for i in 1 2 3; do flock counter sh -c 'n=$(cat counter); echo $((n + 1)) > counter' & done
wait
cat counter
