// Row E12. MIB of output. Mechanism: init's cap: what is beyond is counted and dropped. Expected: no more
// than the cap arrives. Usage: output_flood lines|one_line|stderr|binary MIB
#include "probe.h"

int main(int argc, char** argv) {
  if (argc != 3) give_up("usage");
  static char chunk[1 << 16];
  const char* const kind = argv[1];
  for (size_t i = 0; i < sizeof chunk; i++) {
    if (strcmp(kind, "binary") == 0) {
      chunk[i] = (char)(i * 2654435761U >> 13);
    } else {
      chunk[i] = strcmp(kind, "one_line") == 0 || i % 2 == 0 ? 'y' : '\n';
    }
  }
  const int out = strcmp(kind, "stderr") == 0 ? 2 : 1;
  for (long left = atol(argv[2]) << 20; left > 0;) {
    const ssize_t n = write(out, chunk, sizeof chunk);
    if (n <= 0) return kExitFailed;
    left -= n;
  }
  return 0;
}
