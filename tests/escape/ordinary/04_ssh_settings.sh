#!/bin/bash
# needs: ssh
# The system's settings and those that belong to a script; ssh judges the owners of both.
printf 'Host web\n  HostName 127.0.0.1\n  Port 1\n' > config
chmod 600 config
ssh -F config -G web | grep -E '^(user|hostname|port) '
ssh -G elsewhere.example | grep -E '^(user|hostname|port) '
ssh -F config -o BatchMode=yes -o ConnectTimeout=2 web true
echo "status $?"
