#!/bin/bash
# needs: ssh-keygen
set -e
declare -A bits=([rsa]='-b 2048')
for type in ed25519 rsa ecdsa; do
  ssh-keygen -q -t $type ${bits[$type]} -N '' -C op@example -f key_$type
  ssh-keygen -y -f key_$type | cut -d' ' -f1,3
  ssh-keygen -l -f key_$type.pub | awk '{print $1, $4}'
  stat -c '%a %n' key_$type key_$type.pub
done
echo text > text
ssh-keygen -q -Y sign -f key_ed25519 -n file text
echo "op@example $(cut -d' ' -f1,2 key_ed25519.pub)" > allowed
ssh-keygen -Y verify -f allowed -I op@example -n file -s text.sig < text | cut -d' ' -f1-5
ssh-keygen -q -p -N secret1 -f key_rsa
rm -f key_* text.sig allowed
