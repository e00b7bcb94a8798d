#!/usr/bin/env bash
# Counts the lines that the block before has left in the run's work folder.
set -euo pipefail

file="$RUNBOOK_WORK/greeting.txt"
if [[ ! -e $file ]]; then
  echo "no greeting yet: run the block \`greet\` first" >&2
  exit 1
fi

printf '%-10s %s\n' lines "$(wc -l <"$file")" bytes "$(wc -c <"$file")"
printf '%-10s %s\n' script "$0" folder "$PWD"
