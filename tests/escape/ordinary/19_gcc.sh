#!/bin/bash
# needs: gcc
set -e
cat > lib.c <<'C'
int twice(int x) { return 2 * x; }
C
cat > main.c <<'C'
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static void *body(void *arg) { (void)arg; return (void *)21; }
int main(void) {
  pthread_t thread;
  void *got;
  if (pthread_create(&thread, 0, body, 0)) return 1;
  pthread_join(thread, &got);
  void *library = dlopen("./lib.so", RTLD_NOW);
  int (*twice)(int) = (int (*)(int))dlsym(library, "twice");
  printf("%d %s\n", twice((int)(long)got), strerror(ENOENT));
}
C
gcc -shared -fPIC -o lib.so lib.c
gcc -O1 -Wall -o main main.c -ldl -pthread
./main
echo 'int main(void) { return x; }' | gcc -xc -c - 2>&1 | grep -c error
ldd main | sed 's/ (0x.*//'
