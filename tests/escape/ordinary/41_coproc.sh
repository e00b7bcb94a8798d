#!/bin/bash
coproc UP { while read -r line; do echo "${line^^}"; done; exit 3; }
pid=$UP_PID
echo one >&"${UP[1]}"
read -r answer <&"${UP[0]}"
echo "$answer"
eval "exec ${UP[1]}>&-"
wait "$pid"
echo "status $?"
