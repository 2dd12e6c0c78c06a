#include "engine/bundle.h"

#include <boost/json/parse.hpp>
#include <charconv>

namespace engine {

namespace {

using base::Code;

constexpr std::size_t kMaxDepth = 64;

std::unexpected<base::Error> malformed(const char* what) {
  return base::fail(Code::kInvalid, std::string("a runtime's event is malformed: ") + what);
}

Result<boost::json::object> parse_object(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::system::error_code error;
  auto value = boost::json::parse(text, error, {}, options);
  if (error || !value.is_object()) return malformed("no JSON object");
  return std::move(value.as_object());
}

}  // namespace

Result<Bundle> Bundle::parse(std::string payload) {
  const std::size_t line = payload.find('\n');
  std::size_t length = 0;
  const char* const begin = payload.data();
  const auto parsed = std::from_chars(begin, begin + (line == std::string::npos ? 0 : line), length);
  if (parsed.ec != std::errc() || parsed.ptr != begin + line) return malformed("no length");
  if (length > payload.size() - line - 1) return malformed("its length");
  Bundle bundle;
  ASSIGN_OR_RETURN(bundle.head_, parse_object(std::string_view(payload).substr(line + 1, length)));
  bundle.bytes_begin_ = line + 1 + length;
  bundle.payload_ = std::move(payload);
  return bundle;
}

Result<std::string_view> Bundle::bytes_of(const boost::json::value& place) const {
  const auto* object = place.if_object();
  const auto* pair = object != nullptr && object->size() == 1 ? object->if_contains("bytes") : nullptr;
  const auto* numbers = pair != nullptr ? pair->if_array() : nullptr;
  if (numbers == nullptr || numbers->size() != 2) return malformed("no place of bytes");
  const auto number = [&](std::size_t i) {
    const auto* value = (*numbers)[i].if_int64();
    return value != nullptr && *value >= 0 ? static_cast<std::uint64_t>(*value) : UINT64_MAX;
  };
  const std::string_view all = std::string_view(payload_).substr(bytes_begin_);
  if (number(0) > all.size() || number(1) > all.size() - number(0))
    return malformed("a place beyond its bytes");
  return all.substr(number(0), number(1));
}

}  // namespace engine
