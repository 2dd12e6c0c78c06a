// Row A02's payload: a 32-bit ELF program without any library (built with -m32 -nostdlib), started by
// int80_getpid. It asks for its pid and for a socket through int 0x80, says so, and exits with 0: all of that
// must be impossible.
enum {
  kExit = 1,
  kWrite = 4,
  kGetpid = 20,
  kSocketcall = 102,
  kSocketcallSocket = 1,
  kUnix = 1,
  kStream = 1
};

static int call(int number, int first, int second, int third) {
  int result = number;
  __asm__ volatile("int $0x80" : "+a"(result) : "b"(first), "c"(second), "d"(third) : "memory");
  return result;
}

void _start(void);
void _start(void) {
  static const char kLine[] = "fact elf32 int80_answered\n";
  const unsigned arguments[3] = {kUnix, kStream, 0};
  const int pid = call(kGetpid, 0, 0, 0);
  const int fd = call(kSocketcall, kSocketcallSocket, (int)arguments, 0);
  if (pid > 0 && fd >= 0) call(kWrite, 1, (int)kLine, (int)sizeof kLine - 1);
  call(kExit, pid > 0 && fd >= 0 ? 0 : 1, 0, 0);
  __builtin_unreachable();
}
