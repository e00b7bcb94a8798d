#!/bin/bash
for i in 3 1 2; do (sleep "0.0$i"; exit "$i") & pids+=($!); done
for pid in "${pids[@]}"; do wait "$pid"; echo "status $?"; done
sleep 30 &
kill %1
wait %1
echo "status $?"
(exit 5) &
wait -n
echo "status $?"
set -m
sleep 0.05 &
jobs
kill -STOP %1 && kill -CONT %1
wait
echo "at the end" > >(cat)
