#!/bin/bash
# needs: g++
set -e
cat > main.cpp <<'C'
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
int main() {
  try {
    std::thread([] { std::puts("thread"); }).join();
    throw std::runtime_error("thrown");
  } catch (const std::exception& what) {
    std::puts(what.what());
  }
}
C
g++ -pipe -O0 -o main main.cpp -pthread
./main
size main | tail -1 | awk '{print NF}'
strip main
