#!/bin/bash
# needs: git
# grant: --read ~/.gitconfig
# says: tell me who you are
set -e
git init -q -b main repo
trap 'rm -rf repo' EXIT
git -C repo commit -q --allow-empty -m first
git -C repo log --format='%an %ae %s'
