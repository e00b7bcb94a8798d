#!/bin/bash
# needs: git
set -e
export GIT_AUTHOR_DATE='2024-01-02T03:04:05Z' GIT_COMMITTER_DATE='2024-01-02T03:04:05Z'
git init -q -b main repo
cd repo
git config user.name Op
git config user.email op@example
echo one > a.txt
git add a.txt
git commit -q -m first
echo two >> a.txt
git diff
git stash
git stash list
git stash pop
git commit -qam second
git log --format='%H %an %ad %s' --date=iso
git status --short --branch
git tag -a v1 -m v1
git describe
git grep -n two
git fsck
git gc -q
git count-objects -v | grep in-pack
git rev-parse --show-toplevel
rm -rf .git  # its index holds inodes and times
