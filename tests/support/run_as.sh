#!/bin/sh
# run_as.sh USER COMMAND [ARG...] - runs COMMAND as USER in USER's home, with an environment of its own.
# As root only; as USER itself it just runs the command. RUNBOOKD_* variables go along.
set -eu
user=$1
shift
if [ "$(id -un)" = "$user" ]; then
  exec "$@"
fi
home=$(getent passwd "$user" | cut -d: -f6)
kept=$(env | grep -E '^RUNBOOKD_[A-Z_]+=[A-Za-z0-9_./:-]*$' || true)
cd "$home"
# shellcheck disable=SC2086 # the pattern above lets no blank through
exec setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups --inh-caps=-all \
  env -i HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/bash LANG=C.UTF-8 \
  PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin TERM="${TERM:-dumb}" $kept "$@"
