#!/bin/bash
# needs: ed vim
printf 'a\none\ntwo\n.\nw f\nq\n' | ed -s
vim -u NONE -i NONE -N -n -es -c '%s/one/1/' -c 'wq' f < /dev/null
cat f
printf 'x\n' | less
