#!/bin/bash
# needs: lsblk
# differs: workspace: /sys holds the processors alone
ls /sys/class/net | grep -x lo
lsblk -n -o NAME > /dev/null
echo "status $?"
ls -d /sys/block /sys/class /sys/kernel/mm/transparent_hugepage
