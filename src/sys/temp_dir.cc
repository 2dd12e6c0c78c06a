#include "sys/temp_dir.h"

#include <cstdlib>
#include <filesystem>

namespace sys {

Result<TempDir> TempDir::make() {
  std::string path = "/var/tmp/cove.XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return base::failed_call("mkdtemp(" + path + ")");
  return TempDir(std::move(path));
}

TempDir::~TempDir() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace sys
