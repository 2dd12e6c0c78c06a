#pragma once

#include <optional>

#include "engine/file_call.h"

namespace engine {

// The files of a live sandbox, as its user sees them. Paths are absolute and are resolved inside: nothing
// outside can be named.
class Files {
 public:
  explicit Files(Sandbox& sandbox) : sandbox_(sandbox) {}

  Result<wire::file::Entry> stat(const std::string& path,
                                 wire::file::Links links = wire::file::Links::kFollow);
  Result<std::vector<wire::file::Entry>> list(const wire::file::List& request);
  // A whole file, or a range, of at most `most` bytes; what is larger is refused.
  Result<std::string> read(const wire::file::Read& request, std::size_t most = 64 << 20);
  Result<wire::file::Done> write(const wire::file::Write& request, std::string_view bytes);
  // An archive of at most `most` bytes.
  Result<std::string> pack(const wire::file::Pack& request, std::size_t most = 64 << 20);
  Result<wire::file::Done> unpack(const wire::file::Unpack& request, std::string_view bytes);
  Result<std::vector<wire::file::Attribute>> attributes(const std::string& path);
  // Every other call, and those above for who wants to see their parts as they come.
  Result<wire::file::Done> call(const wire::file::Request& request, FileObserver& observer);
  Result<wire::file::Done> call(const wire::file::Request& request);

 private:
  // A call whose answer is bytes, and one that is given bytes.
  Result<std::string> take(const wire::file::Request& request, std::size_t most);
  Result<wire::file::Done> give(const wire::file::Request& request, std::string_view bytes);

  Sandbox& sandbox_;
};

// What the failure of a file call is called where causes are told: disk_full, when that is it.
std::optional<base::Cause> cause_of(const base::Error& error);

}  // namespace engine
