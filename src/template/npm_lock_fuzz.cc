#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "template/npm_lock.h"

// What is accepted reads the same when it is written out for the npm inside and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lock = templates::parse_npm_lock(text, "fuzz");
  if (!lock) return 0;
  const std::vector<std::string> files(lock->packages.size(), "/x.tgz");
  const auto again = templates::parse_npm_lock(templates::npm_inputs(*lock, files).lock, "fuzz");
  BASE_CHECK(again && again->text == lock->text);
  return 0;
}
