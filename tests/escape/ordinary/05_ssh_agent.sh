#!/bin/bash
# needs: ssh-agent ssh-add ssh-keygen
set -e
ssh-keygen -q -t ed25519 -N '' -C key@example -f key
eval "$(ssh-agent -s)" > /dev/null
trap 'kill "$SSH_AGENT_PID"' EXIT
ssh-add key
ssh-add -l | cut -d' ' -f1,3,4
ssh-add -d key
ssh-add -l || echo "status $?"
rm key key.pub
