#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <string>

#include "template/rules.h"

// Owners for libarchive, shared by export and import, and the shape of an archive both agree on.
namespace templates {

// First member: this line, then the meta text. After it the tree, each path below "root".
constexpr std::string_view kArchiveMetaName = "cove-template";
constexpr std::string_view kArchiveFormat = "cove-template 1\n";
constexpr std::string_view kArchiveRoot = "root";

struct FreeReader {
  void operator()(archive* handle) const { ::archive_read_free(handle); }
};
struct FreeWriter {
  void operator()(archive* handle) const { ::archive_write_free(handle); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { ::archive_entry_free(entry); }
};
using ArchiveReader = std::unique_ptr<archive, FreeReader>;
using ArchiveWriter = std::unique_ptr<archive, FreeWriter>;
using ArchiveEntry = std::unique_ptr<archive_entry, FreeEntry>;

inline std::unexpected<base::Error> archive_failure(std::string_view what, archive* handle) {
  const char* text = ::archive_error_string(handle);
  return base::fail(base::Code::kInvalid,
                    std::string(what) + ": " + printable(text != nullptr ? text : "unknown archive error"));
}

}  // namespace templates
