#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <clocale>
#include <memory>
#include <string>

#include "base/error.h"

// Owners for libarchive.
namespace files {

struct FreeArchive {
  void operator()(archive* handle) const { ::archive_free(handle); }
};
struct FreeMember {
  void operator()(archive_entry* member) const { ::archive_entry_free(member); }
};
using Archive = std::unique_ptr<archive, FreeArchive>;
using Member = std::unique_ptr<archive_entry, FreeMember>;

// Names in archives are UTF-8, which libarchive understands in such a locale only; without one in the
// template those with other letters than ASCII's are refused. Loaded when an archive comes, because most
// calls have none.
inline void expect_utf8_names() { (void)std::setlocale(LC_CTYPE, "C.UTF-8"); }

inline std::unexpected<base::Error> archive_failure(archive* handle) {
  const char* const text = ::archive_error_string(handle);
  return base::fail(base::Code::kInvalid,
                    std::string("archive: ") + (text != nullptr ? text : "unknown error"));
}

}  // namespace files
