#!/bin/busybox sh
# init.sh — first program of the virtual machine, in the initramfs that run.py makes. The guest's root is the
# machine's own file tree, read-only over 9p, with a scratch disk over it that takes every write: what the
# tests need is there because it is on the machine that built them. Then systemd takes over.
export PATH=/bin
busybox mkdir -p /proc /host /scratch /root
busybox mount -t proc proc /proc
busybox mount -t devtmpfs dev /dev

fail() {
  busybox echo "guest: $*"
  busybox poweroff -f
}

while read -r module; do
  busybox insmod "/modules/$module" || fail "module $module can't be loaded"
done </modules/order

for _ in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/vda ] && break; busybox sleep 0.2; done
busybox mount -t ext4 -o noatime /dev/vda /scratch || fail "no scratch disk"
busybox mount -t 9p -o trans=virtio,version=9p2000.L,msize=524288,cache=loose,ro host /host ||
  fail "the machine's files can't be mounted"
busybox mkdir /scratch/upper /scratch/merge
busybox mount -t overlay -o lowerdir=/host,upperdir=/scratch/upper,workdir=/scratch/merge overlay /root ||
  fail "no overlay"
# What tests write lies on a plain file system.
for folder in tmp var/tmp; do
  busybox mkdir -p "/scratch/$folder"
  busybox chmod 1777 "/scratch/$folder"
  busybox mount -o bind "/scratch/$folder" "/root/$folder"
done

# Nothing that the machine has set up for itself: its services, its file systems, its passwords.
for folder in etc/systemd/system etc/systemd/user; do
  busybox mkdir -p "/root/$folder"
  busybox mount -t tmpfs -o mode=755 tmpfs "/root/$folder"
done
busybox rm -f /root/.dockerenv /root/run/.containerenv  # it isn't one
busybox rm -f /root/etc/fstab /root/etc/shadow /root/etc/resolv.conf
busybox sed 's/^\([^:]*\):.*/\1:*:19000:0:99999:7:::/' /root/etc/passwd >/root/etc/shadow
busybox chmod 600 /root/etc/shadow
busybox echo guest >/root/etc/hostname
busybox echo '127.0.0.1 localhost guest' >/root/etc/hosts
: >/root/etc/resolv.conf
busybox rm -rf /root/var/lib/systemd/linger /root/var/lib/systemd/random-seed
busybox mkdir -p /root/var/lib/systemd/linger
. /guest.conf
: >"/root/var/lib/systemd/linger/$GUEST_USER"
for unit in serial-getty@ttyS0.service getty@tty1.service getty.target; do
  busybox ln -s /dev/null "/root/etc/systemd/system/$unit"  # a terminal nobody opens costs 90 s
done
busybox cp /guest.service /root/etc/systemd/system/guest.service
busybox mkdir -p /root/etc/systemd/system/multi-user.target.wants
busybox ln -s ../guest.service /root/etc/systemd/system/multi-user.target.wants/guest.service
busybox ln -s /lib/systemd/system/multi-user.target /root/etc/systemd/system/default.target
busybox umount /proc
busybox umount /dev
exec busybox switch_root /root /lib/systemd/systemd
