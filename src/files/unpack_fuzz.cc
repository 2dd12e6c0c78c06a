// An archive that an enemy may have written: it is unpacked whole within its caps, or nothing of it stays;
// what lies beside is never touched, and no device, FIFO or set-id bit comes out of it. The first byte
// chooses the format. Works in a file system of its own that goes with the process, under an id without
// privilege.
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "files/remove.h"
#include "files/tree_walk.h"
#include "files/unpack.h"
#include "sys/directory.h"
#include "sys/mount.h"
#include "sys/private_mounts.h"
#include "sys/socket.h"

namespace {

using wire::file::Format;

constexpr const char* kPlace = "/mnt";  // every Debian has it; covered here by a file system of ours
constexpr uid_t kNobody = 65534;
constexpr std::uint64_t kMostEntries = 100;
constexpr std::uint64_t kMostBytes = 256 << 10;
constexpr std::size_t kMostInput = 96 << 10;  // what a socket takes at once

class ActingAsNobody {
 public:
  ActingAsNobody() {
    ::setfsgid(kNobody);
    ::setfsuid(kNobody);
    BASE_CHECK(::setfsuid(static_cast<uid_t>(-1)) == static_cast<int>(kNobody));
  }
  ActingAsNobody(const ActingAsNobody&) = delete;
  ActingAsNobody& operator=(const ActingAsNobody&) = delete;
  ~ActingAsNobody() {
    ::setfsuid(0);
    ::setfsgid(0);
  }
};

class Inspector : public files::Visitor {
 public:
  base::Result<files::Next> enter(const files::Met& met) override {
    const struct stat& status = met.status;
    BASE_CHECK(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISLNK(status.st_mode));
    BASE_CHECK((status.st_mode & 07000) == 0);
    BASE_CHECK(status.st_uid == kNobody);
    if (S_ISREG(status.st_mode)) bytes += static_cast<std::uint64_t>(status.st_size) / status.st_nlink;
    ++entries;
    return files::Next::kGoIn;
  }
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

void inspect(const std::string& path) {
  const auto top = sys::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).value();
  Inspector inspector;
  BASE_CHECK(files::walk_tree(top.get(), inspector));
  BASE_CHECK(inspector.entries <= kMostEntries);
  BASE_CHECK(inspector.bytes <= kMostBytes);
  BASE_CHECK(files::remove_below(top.get(), path, nullptr));
}

base::Result<wire::file::Done> unpack(std::string_view bytes, Format format) {
  constexpr std::uint32_t kStream = 1;
  const auto sockets = sys::make_socket_pair(SOCK_STREAM).value();
  const auto send = [&](const wire::file::Request& request) {
    BASE_CHECK(sys::write_all(sockets.ours.get(), wire::file::encode(kStream, request)));
  };
  // In two pieces, because a border between them is one more thing to get wrong.
  for (const auto piece : {bytes.substr(0, bytes.size() / 3), bytes.substr(bytes.size() / 3)}) {
    if (!piece.empty()) send(wire::file::Data{.bytes = std::string(piece)});
  }
  send(wire::file::Data{});
  files::Connection connection(sockets.theirs.get());
  files::Call call(connection, kStream);
  const ActingAsNobody acting;
  return files::unpack(call, {.path = std::string(kPlace) + "/to",
                              .format = format,
                              .most_entries = kMostEntries,
                              .most_bytes = kMostBytes});
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const auto here = sys::open(".", O_PATH | O_DIRECTORY).value();
  BASE_CHECK(sys::enter_private_mounts());
  const auto root = sys::open("/", O_PATH | O_DIRECTORY).value();
  const auto own = sys::make_mount("tmpfs", {{"size", "64m"}, {"mode", "0777"}}, 0).value();
  BASE_CHECK(sys::attach_mount(own.get(), root.get(), kPlace + 1));
  BASE_CHECK(::fchdir(here.get()) == 0);
  BASE_CHECK(sys::create_file_at(AT_FDCWD, std::string(kPlace) + "/victim", "victim"));
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > kMostInput) return 0;
  constexpr Format kFormats[] = {Format::kTar, Format::kTarGzip, Format::kZip};
  const auto done =
      unpack({reinterpret_cast<const char*>(data + 1), size - 1}, kFormats[data[0] % std::size(kFormats)]);
  const std::string to = std::string(kPlace) + "/to";
  if (done) {
    inspect(to);
    BASE_CHECK(::rmdir(to.c_str()) == 0);
  }
  BASE_CHECK(sys::entries(kPlace).value() == std::vector<std::string>{"victim"});
  BASE_CHECK(sys::read_file(std::string(kPlace) + "/victim").value() == "victim");
  return 0;
}
