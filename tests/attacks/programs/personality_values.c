// Row A22. Every flag of personality(2): READ_IMPLIES_EXEC makes data executable, ADDR_NO_RANDOMIZE makes
// addresses known, MMAP_PAGE_ZERO gives null pointers a meaning. Each bit alone, again with bits set above
// the low 32, and a few sums. Mechanism: a seccomp rule on the value. Expected: EPERM for all but Linux, the
// 32-bit uname, the 2.6 uname, both, and asking.
#include <sys/personality.h>

#include "probe.h"

static const unsigned long kHarmless[] = {0, PER_LINUX32, UNAME26, PER_LINUX32 | UNAME26, 0xffffffff};

static bool is_harmless(unsigned long value) {
  for (size_t i = 0; i < sizeof kHarmless / sizeof kHarmless[0]; i++) {
    if (kHarmless[i] == value) return true;
  }
  return false;
}

static long change(const void* value) { return syscall(SYS_personality, *(const unsigned long*)value); }

static void probe_value(struct probes* probes, unsigned long value) {
  char name[64];
  snprintf(name, sizeof name, "value_%lx", value);
  probe_in_child(probes, name, change, &value, REFUSED_BY(EPERM));
}

// What the flag is for: after it, readable memory is executable.
static long data_becomes_code(const void* unused) {
  (void)unused;
  if (syscall(SYS_personality, READ_IMPLIES_EXEC) < 0) return -1;
  static const unsigned char return_instruction = 0xc3;
  unsigned char* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return -1;
  *page = return_instruction;
  void (*function)(void) = NULL;
  memcpy(&function, &page, sizeof function);
  function();
  return 0;
}

int main(void) {
  struct probes probes = {0};
  for (int bit = 0; bit < 32; bit++) {
    const unsigned long value = 1UL << bit;
    if (is_harmless(value)) continue;
    probe_value(&probes, value);
    probe_value(&probes, value | (1UL << 40));
  }
  probe_value(&probes, ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC);
  probe_value(&probes, PER_LINUX32 | ADDR_NO_RANDOMIZE);
  probe_in_child(&probes, "data_becomes_code", data_becomes_code, NULL, REFUSED_BY(EPERM));
  for (size_t i = 0; i < sizeof kHarmless / sizeof kHarmless[0]; i++) {
    const struct child_result result = in_child(change, &kHarmless[i]);
    char name[64];
    snprintf(name, sizeof name, "value_%lx", kHarmless[i]);
    errno = result.error;
    twin(&probes, name, result.returned && result.result >= 0);
  }
  return probes_exit_code(&probes);
}
