#!/bin/bash
# needs: jq
set -e
echo '{"b":[1,2,{"c":"x"}],"a":null}' | jq -S .
echo '[{"n":1},{"n":2}]' | jq -r '.[] | select(.n > 1) | "n=\(.n)"'
jq -n --arg v "$USER" '{user: $v}'
jq -n 'env.HOME | type'
echo '{' | jq . || echo "status $?"
