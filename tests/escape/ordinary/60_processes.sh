#!/bin/bash
# needs: ps free
sleep 5 & one=$!
sleep 5 & two=$!
until [ "$(ps -o comm= -p $one,$two | grep -c sleep)" = 2 ]; do :; done  # between fork and exec it is bash
ps -o comm= -p $one,$two
ps --ppid $$ -o comm= | grep -c sleep
pgrep -c -P $$ sleep
pgrep -P $$ -a sleep | cut -d' ' -f2-
kill -0 $one && echo alive
pkill -P $$ sleep
wait
kill -0 $one 2> /dev/null || echo gone
grep -E '^(Name|Threads|Uid|Gid):' /proc/self/status
tr '\0' ' ' < /proc/$$/cmdline | awk '{print $1}'
readlink /proc/$$/exe /proc/$$/cwd
nproc
getconf _NPROCESSORS_ONLN
getconf PAGESIZE
free -m | awk '{print NF}'
awk '/MemTotal/ {print NF}' /proc/meminfo
grep -c processor /proc/cpuinfo
awk '{print NF}' /proc/loadavg /proc/uptime
cat /proc/sys/kernel/ostype /proc/sys/vm/overcommit_memory /proc/sys/net/core/somaxconn
uptime | grep -c load
top -bn1 | grep -c Tasks
vmstat | wc -l
