#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "api/file_part.h"

// Two lines: a Range, and what goes for both tags. Whatever they say, a part lies within the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto line = text.find('\n');
  const std::string tags = line == std::string::npos ? "" : text.substr(line + 1);
  const auto range = api::parse_range(std::string_view(text).substr(0, line));
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, UINT64_MAX}) {
    const wire::file::Entry entry{.size = length};
    const auto part = api::part_of(entry, {.range = range, .none_match = tags, .if_range = tags});
    if (part.offset > length || part.length > length - part.offset) std::abort();
    if (part.status == 206 && part.length == 0) std::abort();
  }
  return 0;
}
