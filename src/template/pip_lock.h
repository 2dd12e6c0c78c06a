#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "template/rules.h"

// Python packages by version and hash, in the form of pip's requirement files, of which only this is
// understood:
//
//   # a comment
//   numpy==2.3.4 --hash=sha256:0123…
//
// A line that ends with a backslash goes on in the next, as other tools write it.
// Options, addresses and packages without a hash are errors that name the line: pip is only ever given what
// is written anew from the packages here.
namespace templates {

constexpr std::size_t kMaxLockBytes = 4 << 20;
constexpr std::size_t kMaxLockedPackages = 4096;

struct LockedPackage {
  std::string name;
  std::string version;
  std::vector<std::string> hashes;  // SHA-256, any of them will do
};

// `origin` is the file's name, for messages.
Result<std::vector<LockedPackage>> parse_pip_lock(std::string_view text, std::string_view origin);
// The same packages for pip to read.
std::string format_requirements(const std::vector<LockedPackage>& packages);

}  // namespace templates
