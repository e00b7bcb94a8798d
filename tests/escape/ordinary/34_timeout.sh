#!/bin/bash
# normalise: /[!-~]+: line \d+: +\d+
timeout 0.1 sleep 5
echo "status $?"
timeout -s KILL 0.1 sleep 5
echo "status $?"
timeout -k 0.1 0.5 bash -c 'trap "" TERM; sleep 5; sleep 5'
echo "status $?"
timeout 5 true
echo "status $?"
timeout 5 no-such-program
echo "status $?"
