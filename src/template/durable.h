#pragma once

#include <string>
#include <string_view>

#include "template/rules.h"

// Writes that survive a power cut once they have returned.
namespace templates {

// A new small file, 0600.
Result<> write_new_file(const std::string& path, std::string_view text);
// Replaces `to`, so that a reader sees the old or the new file.
Result<> rename_over(const std::string& from, const std::string& to);
Result<> sync_directory(const std::string& path);
// Everything written so far to the file system that holds `path`.
Result<> sync_file_system(const std::string& path);
// Never replaces; EEXIST when `to` is there.
Result<> rename_new(const std::string& from, const std::string& to);

}  // namespace templates
