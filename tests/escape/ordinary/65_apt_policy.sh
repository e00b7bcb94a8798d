#!/bin/bash
# needs: apt-cache
# differs: workspace: /var/lib/apt isn't shown, so no candidates are known
apt-cache policy bash | grep -E '^  Installed'
[ -d /var/lib/apt/lists ] && echo candidates can be known
apt-mark showhold
