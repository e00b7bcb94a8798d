#!/bin/bash
# needs: cmake ninja gcc
set -e
printf 'cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_executable(p p.c)\n' > CMakeLists.txt
printf '#include <stdio.h>\nint main(void) { return puts("built") < 0; }\n' > p.c
cmake -G Ninja -S . -B out > log
ninja -C out | tail -1
out/p
rm -rf out log
