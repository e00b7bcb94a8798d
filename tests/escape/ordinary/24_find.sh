#!/bin/bash
set -e
mkdir -p a/b/c
touch -d '2020-01-01' a/old
touch a/new a/b/empty
echo x > a/b/c/file.txt
ln -s ../new a/b/link
find a -type f -name '*.txt'
find a -newermt '2021-01-01' -type f | sort
find a -empty -type f | sort
find a -type l -printf '%p %l\n'
find a -name '*.txt' -exec wc -c {} +
find a -mindepth 1 -maxdepth 1 -printf '%f %m\n' | sort
find a -type f -print0 | xargs -0 ls -1 | sort
find a -name old -delete
find /etc/hosts /nowhere -maxdepth 0 || echo "status $?"
