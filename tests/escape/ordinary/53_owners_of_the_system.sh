#!/bin/bash
# differs: workspace: of all ids only the operator's own is mapped, so root's files are nobody's
# Scripts ask whether what they are about to use is root's.
stat -c '%U:%G %n' / /etc /etc/hosts /usr/bin/env /etc/ssl
find /etc/hosts -user root
[ "$(stat -c %u /etc/passwd)" = 0 ] && echo "root's"
