#!/bin/bash
id
id -un
whoami
id -Gn
echo "$USER $LOGNAME $UID $EUID"
echo "$HOME" ~
hostname
uname -snm
echo "$HOSTNAME"
python3 -c 'import getpass, pwd, os; print(getpass.getuser(), pwd.getpwuid(os.getuid()).pw_shell)'
test -w ~ && test -w . && test ! -w /etc && test ! -w /usr/bin && echo as it should be
