#!/bin/bash
# systemd_user.sh USER COMMAND [ARG...] - runs COMMAND beside a real `systemd --user` of USER, on a
# machine that systemd needn't have booted. As root. All of it lies in mount, pid and cgroup namespaces
# of its own: when COMMAND ends, the manager and every unit end with it. COMMAND finds XDG_RUNTIME_DIR
# and DBUS_SESSION_BUS_ADDRESS set; RUNBOOKD_* variables go along. No journald runs there.
# Exit status: COMMAND's; 70 when the manager doesn't come up (its words on stderr).
set -euo pipefail

inside_as_root() {  # in the new namespaces
  local user=$1 uid gid home kept
  uid=$(id -u "$user") gid=$(id -g "$user") home=$(getent passwd "$user" | cut -d: -f6)
  shift
  umount -l /proc
  mount -t proc -o nosuid,nodev,noexec proc /proc  # in place of the old one, not on top of it
  mount -t tmpfs -o mode=755 tmpfs /run
  # The first makes it count as booted with systemd; in the second unit sandboxes are built.
  mkdir -p /run/systemd/system /run/systemd/unit-root "/run/user/$uid"
  chown "$uid:$gid" "/run/user/$uid"
  chmod 700 "/run/user/$uid"
  umount -R /sys/fs/cgroup 2>/dev/null || true
  mount -t cgroup2 cgroup2 /sys/fs/cgroup  # its root is the delegated cgroup
  kept=$(env | grep -E '^(RUNBOOKD|ASAN|UBSAN)_[A-Z_]+=[^[:space:]]*$' || true)
  # shellcheck disable=SC2086 # the pattern lets no blank through
  exec setpriv --reuid "$uid" --regid "$gid" --init-groups --inh-caps=-all \
    env -i HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/bash LANG=C.UTF-8 \
    PATH=/usr/local/bin:/usr/bin:/bin XDG_RUNTIME_DIR="/run/user/$uid" \
    DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$uid/bus" $kept bash "$self" --as-user "$@"
}

inside_as_user() {  # PID 1 of the new pid namespace
  local log=$XDG_RUNTIME_DIR/manager.log state="" rc=0
  cd "$HOME"
  /lib/systemd/systemd --user --log-target=console >"$log" 2>&1 &
  for _ in $(seq 100); do
    state=$(systemctl --user is-system-running 2>/dev/null || true)
    case $state in running | degraded) break ;; esac
    sleep 0.1
  done
  case $state in running | degraded) ;; *) cat "$log" >&2; exit 70 ;; esac
  "$@" || rc=$?
  exit $rc
}

self=$(readlink -f "$0")
case $1 in
  --as-root) shift; inside_as_root "$@" ;;
  --as-user) shift; inside_as_user "$@" ;;
esac
user=$1
shift
for base in /sys/fs/cgroup/unified /sys/fs/cgroup ""; do
  [ -n "$base" ] || { echo "no cgroup v2 is mounted here" >&2; exit 70; }
  [ -f "$base/cgroup.procs" ] && [ "$(stat -fc %T "$base")" = cgroup2fs ] && break
done
group=$base/runbookd-test-$$
mkdir "$group"
chown "$user" "$group" "$group"/cgroup.{procs,subtree_control,threads}
rc=0
(
  echo "$BASHPID" >"$group/cgroup.procs"
  exec unshare -m -p -f -C bash "$self" --as-root "$user" "$@"
) || rc=$?
find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
exit $rc
