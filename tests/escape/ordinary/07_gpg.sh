#!/bin/bash
# needs: gpg
set -e
GNUPGHOME=$(mktemp -d)
export GNUPGHOME
printf 'trust-model always\ns2k-count 65536\n' > "$GNUPGHOME/gpg.conf"
trap 'gpgconf --kill all; rm -rf "$GNUPGHOME"' EXIT
gpg -q --batch --passphrase '' --quick-gen-key op@example ed25519 sign 2> /dev/null
gpg -q --batch --passphrase '' --quick-add-key "$(gpg --list-keys --with-colons | awk -F: '/^fpr/{print $10; exit}')" \
  cv25519 encr
gpg --list-secret-keys --with-colons | cut -d: -f1,4 | grep -E '^s(ec|sb)'
echo text > text
gpg -q --batch --detach-sign text
gpg --verify text.sig text 2>&1 | grep -o 'Good signature.*'
gpg -q --batch -r op@example -e -o text.gpg text
gpg -q --batch -d text.gpg
gpg -q --batch --passphrase x --pinentry-mode loopback -c -o text.sym text
gpg -q --batch --passphrase x --pinentry-mode loopback -d text.sym
rm -f text.sig text.gpg text.sym
