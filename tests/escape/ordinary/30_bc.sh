#!/bin/bash
# needs: bc
echo 'scale=10; 4*a(1)' | bc -l
echo '2^200' | bc
echo $((7 / 2)) "$(expr 6 \* 7)" "$(printf '%.3f' 2.5)"
seq -s+ 10 | bc
