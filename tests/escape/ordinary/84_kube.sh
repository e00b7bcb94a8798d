#!/bin/bash
# grant: --with kube
# says: \.kube/config
set -e
awk '/current-context/ {print $2}' ~/.kube/config
