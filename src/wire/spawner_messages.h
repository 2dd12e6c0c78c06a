#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/error.h"

// Requests to the root process. Fixed layouts, one packet each, so that there is next to nothing to parse: a
// size, a type, enumerators in range, texts that end within their field.
namespace wire::spawner {

constexpr std::uint32_t kMagic = 0x45564f43;  // "COVE"
constexpr std::uint32_t kVersion = 3;

// A text in a field of fixed size: NUL-terminated, the rest zero.
template <std::size_t N>
struct Text {
  std::array<char, N> bytes{};

  // Cuts what does not fit; the caller checks the length of what matters.
  void set(std::string_view value) {
    bytes.fill('\0');
    std::memcpy(bytes.data(), value.data(), std::min(value.size(), N - 1));
  }
  std::string_view view() const { return {bytes.data(), ::strnlen(bytes.data(), N)}; }
  bool well_formed() const {
    const std::size_t end = ::strnlen(bytes.data(), N);
    for (std::size_t i = end; i < N; ++i) {
      if (bytes[i] != '\0') return false;
    }
    return end < N;
  }
};

enum class Type : std::uint32_t {
  kCreate = 1,
  kDestroy = 2,
  kRetireTemplate = 3,
  kStatus = 4,
  kStop = 5,
  kWarm = 6,
  kEnterContext = 7
};

struct Header {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  Type type = Type::kStatus;
  std::uint32_t reserved = 0;
};

enum class RootKind : std::uint32_t { kTemplate = 0, kBuild = 1 };
enum class Mode : std::uint32_t { kUser = 0, kRoot = 1 };
enum class Access : std::uint32_t { kNone = 0, kReadOnly = 1, kReadWrite = 2 };
// What is to wait in a sandbox that was made ahead: a context from the template's zygote, for whoever asks
// init for the first one. A sandbox that is made when it is asked for has none.
enum class Furniture : std::uint32_t { kNone = 0, kPythonContext = 1 };

struct Create {
  Header header{.type = Type::kCreate};
  Text<72> root;  // a template's digest, or the name of a build directory
  RootKind root_kind = RootKind::kTemplate;
  Mode mode = Mode::kUser;
  std::uint64_t memory_bytes = 0;
  std::uint64_t disk_bytes = 0;  // 0: the default of the disks in use
  std::uint32_t cpu_millis = 0;
  std::uint32_t max_pids = 0;
  Access workspace_access = Access::kNone;
  std::uint32_t weaken = 0;  // bits of jail::Weakness; the product's spawner refuses any
  Furniture furniture = Furniture::kNone;
  std::uint32_t reserved = 0;
  Text<4096> workspace;  // an absolute directory on the host
};
// When a request to destroy is answered: once nothing of the sandbox is left, or as soon as its processes are
// killed. What a process is in the middle of (a write, a rename) may still come to its end after that, so
// whoever reads what the sandbox wrote, such as a workspace, waits until it is gone.
enum class Until : std::uint32_t { kGone = 0, kKilled = 1 };

struct Destroy {
  Header header{.type = Type::kDestroy};
  Text<24> sandbox;
  Until until = Until::kGone;
  std::uint32_t reserved = 0;
};
struct RetireTemplate {
  Header header{.type = Type::kRetireTemplate};
  Text<72> digest;
};
struct Status {
  Header header{.type = Type::kStatus};
};
struct Stop {
  Header header{.type = Type::kStop};
};
enum class Language : std::uint32_t { kPython = 0 };
// Starts a template's zygote, unless it is there. Answered when it is ready, or with what keeps it from that:
// kUnsupported when the template has none.
struct Warm {
  Header header{.type = Type::kWarm};
  Text<72> digest;
  Language language = Language::kPython;
  std::uint32_t reserved = 0;
};
// What becomes of a request for a newcomer when the zygote is not ready: it waits, or it is refused
// (kUnavailable) while the zygote gets ready for the next one.
enum class Unready : std::uint32_t { kWait = 0, kRefuse = 1 };
// Lets a fork of the zygote of the sandbox's template into the sandbox, where it becomes the context that
// init has been told to expect. Answered when it is in. kUnsupported: only a cold start makes this context.
struct EnterContext {
  Header header{.type = Type::kEnterContext};
  Text<24> sandbox;
  Language language = Language::kPython;
  std::uint32_t stream = 0;  // of the context, on the connection to init
  Unready unready = Unready::kWait;
  std::uint32_t reserved = 0;
};
using Request = std::variant<Create, Destroy, RetireTemplate, Status, Stop, Warm, EnterContext>;

struct StepTime {
  Text<40> name;
  std::uint64_t microseconds = 0;
};
constexpr std::size_t kMaxSteps = 64;

// Why a sandbox that has ended by itself has done so.
enum class EndedAs : std::uint32_t { kUnknown = 0, kOutOfMemory = 1 };

// One reply for all: what was asked for, or which step failed and why.
struct Reply {
  Header header;
  std::uint32_t ok = 0;
  std::uint32_t code = 0;  // base::Code
  std::int32_t sys_errno = 0;
  std::uint32_t step_count = 0;
  Text<512> message;
  Text<24> sandbox;
  Text<108> socket;  // where init listens
  Text<72> seccomp;  // hash of the filters in force
  Text<24> trash;    // where a retired template went, below the builds directory
  std::uint32_t sandboxes = 0;
  std::uint32_t nurseries = 0;
  std::uint32_t ending = 0;  // killed, and not yet gone
  EndedAs ended_as = EndedAs::kUnknown;
  std::uint32_t reserved = 0;
  std::uint64_t disk_bytes = 0;  // what a new sandbox got
  Text<16> disk_backend;         // what its disk is made of
  std::array<StepTime, kMaxSteps> steps{};
};

constexpr std::size_t kMaxPacket = sizeof(Reply) > sizeof(Create) ? sizeof(Reply) : sizeof(Create);

base::Result<Request> decode_request(std::span<const std::byte> packet);
base::Result<Reply> decode_reply(std::span<const std::byte> packet);

template <class Message>
std::span<const std::byte> packet_of(const Message& message) {
  // Without padding, so that no byte of the sender's memory travels along.
  static_assert(std::has_unique_object_representations_v<Message>);
  return std::as_bytes(std::span(&message, 1));
}

}  // namespace wire::spawner
