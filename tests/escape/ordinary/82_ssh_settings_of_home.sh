#!/bin/bash
# grant: --with ssh-agent, or --read ~/.ssh
# says: \.ssh/config: No such file
set -e
grep -A1 'Host web' ~/.ssh/config
