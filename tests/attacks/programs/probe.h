// The protocol every attack program speaks, so that a harness can judge all of them alike:
//
//   probe <name> WORKED|REFUSED <detail>   an attack, and whether the sandbox let it through
//   twin <name> OK|BROKEN <detail>         its lawful neighbour, which must go on working
//   fact <key> <value>                     something seen, for the harness to compare with a golden list
//
// Exit: 0 = at least one attack worked, 1 = every attack was refused, 2 = the program itself failed or a twin
// is broken. A program that only states facts exits 0 when it has printed all of them.
//
// Probes hand the kernel bad pointers, bad descriptors or no-op values wherever that is enough to learn
// whether a call was reached, so one that slips through changes nothing.
#pragma once

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  kExitWorked = 0,
  kExitRefused = 1,
  kExitFailed = 2,
  kProbeSeconds = 10,  // no single probe outlives this
};

// An address that is never mapped, for calls whose first act is to read their argument.
#define BAD_POINTER ((void*)8)
// Sets bits above the low 32: a filter that compares 64 bits no longer recognises the value, the kernel still
// does.
#define WITH_HIGH_BIT(value) ((long)(value) | (1L << 32))
#define WITH_TOP_BIT(value) ((long)(value) | (long)(1UL << 63))
// The errnos by which the policy says no. Any other answer means that the kernel's own code was reached.
#define REFUSED_BY(...) ((const int[]){__VA_ARGS__, 0})

struct probes {
  int worked;
  int refused;
  int broken;
};

static inline const char* errno_name(int error) {
  const char* name = strerrorname_np(error);
  return name != NULL ? name : "unknown";
}

__attribute__((noreturn, format(printf, 1, 2))) static inline void give_up(const char* format, ...) {
  const int error = errno;
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fprintf(stderr, " (errno %s)\n", errno_name(error));
  exit(kExitFailed);
}

// Flushed at once: a probe after this one may fork or be killed.
__attribute__((format(printf, 2, 3))) static inline void fact(const char* key, const char* format, ...) {
  va_list args;
  va_start(args, format);
  printf("fact %s ", key);
  vprintf(format, args);
  printf("\n");
  va_end(args);
  fflush(stdout);
}

static inline void probe_worked(struct probes* probes, const char* name, const char* detail) {
  probes->worked++;
  printf("probe %s WORKED %s\n", name, detail);
  fflush(stdout);
}

static inline void probe_refused(struct probes* probes, const char* name, const char* detail) {
  probes->refused++;
  printf("probe %s REFUSED %s\n", name, detail);
  fflush(stdout);
}

static inline void twin(struct probes* probes, const char* name, bool works) {
  const char* detail = works ? "fine" : errno_name(errno);
  if (!works) probes->broken++;
  printf("twin %s %s %s\n", name, works ? "OK" : "BROKEN", detail);
  fflush(stdout);
}

// For attacks where only success counts: result is what the call returned, errno is still the call's own.
static inline void probe_gain(struct probes* probes, const char* name, long result) {
  if (result < 0) {
    probe_refused(probes, name, errno_name(errno));
  } else {
    probe_worked(probes, name, "succeeded");
  }
}

// For calls that must not even be reached: refused only by one of the policy's own errnos.
static inline void probe_call(struct probes* probes, const char* name, long result, const int* refusals) {
  if (result >= 0) {
    probe_worked(probes, name, "succeeded");
    return;
  }
  const int error = errno;
  for (const int* refusal = refusals; *refusal != 0; refusal++) {
    if (error == *refusal) {
      probe_refused(probes, name, errno_name(error));
      return;
    }
  }
  probe_worked(probes, name, errno_name(error));
}

// What became of a call made in a child of its own.
struct child_result {
  bool returned;  // the call came back and result, error are set
  long result;
  int error;
  int status;  // as waitpid gave it
};

typedef long (*child_function)(const void* argument);

// The answer comes back through shared memory, which no namespace, filter or closed descriptor can take away.
static inline struct child_result in_child(child_function function, const void* argument) {
  struct child_result* shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) give_up("mmap of the result page");
  fflush(NULL);
  const pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    alarm(kProbeSeconds);
    errno = 0;
    shared->result = function(argument);
    shared->error = errno;
    shared->returned = true;
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  struct child_result result = *shared;
  result.status = status;
  munmap(shared, sizeof *shared);
  return result;
}

// probe_call for a call that would change or end the caller.
static inline void probe_in_child(struct probes* probes, const char* name, child_function function,
                                  const void* argument, const int* refusals) {
  const struct child_result result = in_child(function, argument);
  if (result.returned) {
    errno = result.error;
    probe_call(probes, name, result.result, refusals);
  } else if (WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGSYS) {
    probe_refused(probes, name, "SIGSYS");
  } else {
    probe_worked(probes, name, "did_not_return");
  }
}

static inline int probes_exit_code(const struct probes* probes) {
  if (probes->broken > 0 || probes->worked + probes->refused == 0) return kExitFailed;
  return probes->worked > 0 ? kExitWorked : kExitRefused;
}
