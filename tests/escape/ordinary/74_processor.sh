#!/bin/bash
# needs: lscpu
lscpu | grep -E '^(Architecture|CPU\(s\)|On-line)'
cat /sys/devices/system/cpu/online
python3 -c 'import os; print(os.cpu_count(), os.sysconf("SC_NPROCESSORS_ONLN"))'
