#pragma once

#include <string>
#include <utility>
#include <variant>

#include "wire/bytes.h"
#include "wire/frame.h"

// One frame per message: its type is the alternative's place in the variant plus a base, so that the variants
// are the tables.
namespace wire {

// `put(writer, message)` writes one alternative.
template <class Variant, class Put>
std::string encode_variant(std::uint32_t base, std::uint32_t stream, const Variant& message, Put put) {
  Writer writer;
  std::visit([&](const auto& m) { put(writer, m); }, message);
  return encode_frame(base + static_cast<std::uint32_t>(message.index()), stream, writer.take());
}

// `get(reader, message)` reads one, and is false when its values are not allowed.
template <class Variant, class Get, std::size_t I = 0>
base::Result<Variant> decode_variant(std::uint32_t index, const Frame& frame, Get get) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (index != I) return decode_variant<Variant, Get, I + 1>(index, frame, get);
    std::variant_alternative_t<I, Variant> message;
    Reader reader(frame.payload);
    if (!get(reader, message) || !reader.finished()) {
      return base::fail(base::Code::kInvalid, "malformed message of type " + std::to_string(frame.type));
    }
    return Variant(std::move(message));
  } else {
    return base::fail(base::Code::kInvalid, "unknown message type " + std::to_string(frame.type));
  }
}

}  // namespace wire
