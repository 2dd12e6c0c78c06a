#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/file_messages.h"

namespace api {

// Which bytes a Range asks for: from `first` to `last`, or the `suffix` last ones.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = UINT64_MAX;
  std::optional<std::uint64_t> suffix = {};
};
// One range of bytes. None for all else, which is to be ignored: other units, several ranges, nonsense.
std::optional<ByteRange> parse_range(std::string_view header);

// Changes with the file's content, as far as its size and time tell: two writes of the same length within the
// resolution of the kernel's clock look alike.
std::string etag_of(const wire::file::Entry& entry);
std::string last_modified_of(const wire::file::Entry& entry);

// What a request says about the state it knows the file in.
struct Conditions {
  std::optional<ByteRange> range = {};
  std::string none_match = {};
  std::string if_range = {};
};

// What of a file is answered.
struct Part {
  unsigned status = 200;  // 206, 304, 416
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};
Part part_of(const wire::file::Entry& entry, const Conditions& conditions);

}  // namespace api
