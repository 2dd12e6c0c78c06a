#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// What is said between the spawner, a zygote, a newcomer that the zygote has forked, and the init that the
// newcomer comes to. Plain structs of fixed size, one packet each: one side of them is a library without a
// C++ runtime, which is loaded into a template's interpreter (src/zygote/enter.cc).
namespace wire::zygote {

constexpr std::uint32_t kMagic = 0x4f475a43;  // "CZGO"

// spawner → zygote: let a newcomer into a sandbox. The descriptors come in this order.
struct Call {
  std::uint32_t magic = kMagic;
  std::uint32_t stream = 0;  // of the context that init expects
};
enum CallFd : unsigned {
  kPidSpace,
  kNetworkSpace,
  kUserSpace,
  kMountSpace,
  kIpcSpace,
  kUtsSpace,
  kCgroupSpace,
  kGate,  // between the newcomer and the spawner
  kDoor,  // between the newcomer and init
  kCallFds,
};

enum class Word : std::uint32_t {
  kReady = 1,   // zygote → spawner: everything is imported
  kUnable = 2,  // zygote → spawner: it cannot be, and why
  kBorn = 3,    // newcomer → spawner, with its credentials
  kGo = 4,      // spawner → newcomer: it is in the sandbox's groups
  kIn = 5,      // newcomer → spawner: it is one of the sandbox's processes
  kFailed = 6,  // newcomer → spawner: which step did not work
};
constexpr auto kLastWord = Word::kFailed;

struct Said {
  std::uint32_t magic = kMagic;
  Word word = Word::kReady;
  std::int32_t sys_errno = 0;
  char text[492] = {};  // ends with a NUL
};

// Instead of a stream: a context for whoever asks for one first.
constexpr std::uint32_t kEarly = 0xffff'ffff;

// newcomer → init, with its credentials: which context it is to be. The answer is one byte and descriptors.
struct Knock {
  std::uint32_t magic = kMagic;
  std::uint32_t stream = 0;
};
enum WelcomeFd : unsigned {
  kOutput,
  kError,
  kRuntime,
  kFilter,   // the program that the sandbox's processes are under
  kBelongs,  // to be read to the end: working directory and environment, each entry with a NUL behind it
  kWelcomeFds,
};

// Whether these bytes are a message of a zygote or a newcomer, which nobody has to believe.
bool is_sound(std::span<const std::byte> packet, Said& out);
bool is_sound(std::span<const std::byte> packet, Knock& out);

}  // namespace wire::zygote
