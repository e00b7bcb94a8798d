#!/bin/bash
nice
nice -n 5 nice
renice -n 3 -p $$ > /dev/null && nice
ionice -c 3 true
echo "status $?"
taskset -c 0 nproc
chrt -b 0 true
echo "status $?"
nice -n -5 true
echo "status $?"
