#!/bin/bash
# differs: workspace: the hard limit on open files is 1024
# Servers and build tools raise their limit on open files to what is usual.
ulimit -n 4096 && ulimit -n
python3 -c 'import os; print(len([os.dup(0) for _ in range(3000)]))' 2>&1 | tail -1
