#!/bin/bash
set -e
diff <(printf 'a\nb\n') <(printf 'a\nc\n') || echo "status $?"
printf 'x\ny\n' | tee >(wc -l > lines) > copy
while [ ! -s lines ]; do sleep 0.01; done
cat lines copy
while read -r line; do echo "<$line>"; done < <(seq 2)
paste <(seq 3) <(seq 4 6)
exec {fd}< <(echo through a descriptor)
cat <&"$fd"
