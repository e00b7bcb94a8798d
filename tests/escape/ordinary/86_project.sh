#!/bin/bash
# grant: --write PROJECT
# says: project: No such file
set -e
cd @PROJECT@
echo 1.2.3 > VERSION
cat VERSION
