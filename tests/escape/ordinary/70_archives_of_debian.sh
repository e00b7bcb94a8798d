#!/bin/bash
# needs: dpkg-deb ar
set -e
mkdir -p p/DEBIAN p/usr/share/p
printf 'Package: p\nVersion: 1\nArchitecture: all\nMaintainer: op <op@example>\nDescription: p\n' > p/DEBIAN/control
echo x > p/usr/share/p/x
dpkg-deb --root-owner-group -b p p.deb
dpkg-deb -c p.deb | awk '{print $1, $2, $6}'
ar t p.deb
dpkg-deb -x p.deb out
rm p.deb
