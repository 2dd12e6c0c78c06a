#!/bin/sh
# gcc and make: a project of two sources and a shared library, built in parallel, run, rebuilt.
. "$(dirname "$0")/lib.sh"
need gcc
need make
cd "$work"
cat >sum.c <<'C'
int sum(int a, int b) { return a + b; }
C
cat >main.c <<'C'
#include <pthread.h>
#include <stdio.h>
int sum(int a, int b);
static void* work(void* answer) { *(int*)answer = sum(40, 2); return 0; }
int main(void) {
  int answer = 0;
  pthread_t thread;
  pthread_create(&thread, 0, work, &answer);
  pthread_join(thread, 0);
  printf("%d\n", answer);
}
C
cat >Makefile <<'MAKE'
all: program shared
program: main.o sum.o ; $(CC) -pthread -o $@ $^
shared: main.o libsum.so ; $(CC) -pthread -o $@ main.o -L. -lsum -Wl,-rpath,.
libsum.so: sum.c ; $(CC) -shared -fPIC -O2 -o $@ $<
MAKE
check make_parallel make -j4
check static_link test "$(./program)" = 42
check shared_link test "$(./shared)" = 42
touch sum.c
check rebuild make
check up_to_date make -q
check optimised gcc -O2 -flto -pthread -o fast main.c sum.c
check sanitizer_free_run test "$(./fast)" = 42
