#include "files/draft.h"

#include <stdio.h>
#include <unistd.h>

#include <cerrno>

#include "base/ids.h"

namespace files {

namespace {

using wire::file::Existing;

struct Name {
  int directory;
  const std::string& name;
};

Result<> rename_at(const Name& from, const Name& to, Existing existing) {
  const unsigned flags = existing == Existing::kRefuse ? RENAME_NOREPLACE : 0U;
  if (::renameat2(from.directory, from.name.c_str(), to.directory, to.name.c_str(), flags) == 0) return {};
  return base::failed_call("rename(" + to.name + ")");
}

// A directory that may be written but not read cannot be opened for this; then the whole file system is
// asked.
Result<> sync_directory(int directory, int file) {
  const auto readable = sys::openat(directory, ".", O_RDONLY | O_DIRECTORY);
  if (readable ? ::fsync(readable->get()) == 0 : ::syncfs(file) == 0) return {};
  return base::failed_call("fsync(directory)");
}

}  // namespace

Result<Draft> Draft::make(int directory) {
  std::string name = ".cove-" + base::random_hex(8) + ".part";
  auto file = sys::openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!file) return std::unexpected(std::move(file).error());
  return Draft(directory, std::move(name), *std::move(file));
}

Draft::Draft(Draft&& other) noexcept
    : directory_(other.directory_), name_(std::exchange(other.name_, {})), file_(std::move(other.file_)) {}

Draft::~Draft() {
  if (!name_.empty()) (void)sys::unlinkat(directory_, name_);
}

Result<> Draft::publish(const std::string& name, Existing existing) {
  if (::fsync(file_.get()) != 0) return base::failed_call("fsync");
  RETURN_IF_ERROR(rename_at({directory_, name_}, {directory_, name}, existing));
  name_.clear();
  return sync_directory(directory_, file_.get());
}

Result<> rename(const Place& from, const Place& to, Existing existing) {
  return rename_at({from.parent.get(), from.name}, {to.parent.get(), to.name}, existing);
}

}  // namespace files
