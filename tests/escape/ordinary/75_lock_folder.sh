#!/bin/bash
# differs: workspace: there is no /run/lock
exec 9> "/var/lock/ordinary.$$" && flock -n 9 && echo locked
rm -f "/var/lock/ordinary.$$"
