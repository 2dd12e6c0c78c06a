// An archive that an enemy may have written leaves nothing behind unless it is imported whole. The importer
// works as root, so this program first gives itself a mount namespace in which everything but its own
// directories is read-only.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/check.h"
#include "sys/directory.h"
#include "sys/mount.h"
#include "sys/private_mounts.h"
#include "template/archive_import.h"
#include "template/delete_tree.h"

namespace {

constexpr const char* kPlace =
    "/mnt";  // a directory that every Debian has; covered here by a file system of ours

class Silence final : public templates::Progress {
 public:
  void stage(int, int, std::string_view) override {}
  void detail(std::string_view) override {}
};

struct Writable {
  std::string path;
  sys::UniqueFd mount;
};

std::string absolute(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) != nullptr ? resolved : "";
}

// Where the fuzzer itself writes: corpus directories and the directory of its artifacts.
std::vector<Writable> writable_places(int argc, char** argv) {
  constexpr std::string_view kArtifacts = "-artifact_prefix=";
  std::vector<Writable> places;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.starts_with(kArtifacts))
      argument = argument.substr(kArtifacts.size(), argument.rfind('/') - kArtifacts.size());
    const std::string path = argument.starts_with('-') ? "" : absolute(argument);
    struct stat st{};
    if (path.empty() || ::stat(path.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) continue;
    places.push_back({path.substr(1), sys::clone_mount(AT_FDCWD, path).value()});
  }
  return places;
}

const templates::Store& store() {
  static const templates::Store only = templates::Store::open(kPlace).value();
  return only;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::string here = absolute(".");
  BASE_CHECK(sys::enter_private_mounts());
  BASE_CHECK(::chdir(here.c_str()) == 0);
  const auto places = writable_places(*argc, *argv);
  BASE_CHECK(::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0);
  const auto root = sys::open("/", O_PATH | O_DIRECTORY).value();
  for (const Writable& place : places)
    BASE_CHECK(sys::attach_mount(place.mount.get(), root.get(), place.path));
  const auto own = sys::make_mount("tmpfs", {{"size", "256m"}}, 0).value();
  BASE_CHECK(sys::attach_mount(own.get(), root.get(), kPlace + 1));
  BASE_CHECK(::chdir(here.c_str()) == 0);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = sys::sealed_memfd("archive", {reinterpret_cast<const char*>(data), size}, 0400).value();
  Silence silence;
  const auto imported = templates::import_template(store(),
                                                   {.file = "/proc/self/fd/" + std::to_string(file.get()),
                                                    .name = "fuzzed",
                                                    .if_taken = templates::IfTaken::kReplace},
                                                   silence);
  if (imported) {
    BASE_CHECK(store().verify(imported->digest));
    BASE_CHECK(store().remove_names(imported->digest));
    BASE_CHECK(templates::delete_tree(store().directory_of(imported->digest)));
  }
  for (const auto& name : sys::entries(store().builds()).value()) BASE_CHECK(name.starts_with('.'));
  for (const auto& name : sys::entries(std::string(kPlace) + "/templates").value())
    BASE_CHECK(name.starts_with('.') || name == "names");
  return 0;
}
