// A record is refused, or says the same after being written again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "spawner/records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto record = spawner::parse_record(text);
  if (!record) return 0;
  BASE_CHECK(record->pid > 1);
  const std::string written = spawner::format_record(*record);
  const auto again = spawner::parse_record(written);
  BASE_CHECK(again.has_value());
  BASE_CHECK(spawner::format_record(*again) == written);
  BASE_CHECK(again->root == record->root && again->first_id == record->first_id);
  return 0;
}
