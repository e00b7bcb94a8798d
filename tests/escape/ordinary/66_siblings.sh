#!/bin/bash
# A runbook's scripts share what lies beside them.
set -e
. "$(dirname "$0")/library.sh"
say hello
basename "$0"
cd "$(dirname "${BASH_SOURCE[0]}")"
head -1 runbook.mdx
[ -x "$0" ] && echo executable
