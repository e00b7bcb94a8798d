#!/bin/bash
seq 1 60000
printf 'binary: \001\377\n'
printf '\033[31mred\033[0m\r\n'
printf 'no newline at the end' >&2
