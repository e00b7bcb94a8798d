#!/bin/bash
printf '%s\n' b A a B ä | LC_ALL=C sort | paste -sd' '
printf '%s\n' b A a B ä | sort | paste -sd' '
locale
locale -a | sort
printf 'ä' | wc -m
echo "${#LANG}"
printf '%s\n' 'größe' | tr '[:lower:]' '[:upper:]' | grep -c .
python3 -c 'import locale, sys; print(sys.stdout.encoding, "ü", locale.setlocale(locale.LC_ALL, ""))'
