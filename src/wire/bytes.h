// wire: what travels between engine, spawner, init and contexts. Pure: bytes in, values out, no calls.
// Everything that comes out of a sandbox is hostile, so every decoder has limits, rejects what it does not
// know, and is fuzzed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wire {

// Appends little-endian values and length-prefixed bytes.
class Writer {
 public:
  void u8(std::uint8_t value) { raw(&value, sizeof value); }
  void u32(std::uint32_t value) { raw(&value, sizeof value); }
  void u64(std::uint64_t value) { raw(&value, sizeof value); }
  void text(std::string_view value) {
    u32(static_cast<std::uint32_t>(value.size()));
    raw(value.data(), value.size());
  }
  void texts(std::span<const std::string> values) {
    u32(static_cast<std::uint32_t>(values.size()));
    for (const auto& value : values) text(value);
  }
  std::string take() { return std::move(out_); }

 private:
  void raw(const void* data, std::size_t size) { out_.append(static_cast<const char*>(data), size); }
  std::string out_;
};

// Takes values off the front. A value that is not there makes the reader bad and reads as zero; the caller
// asks once, at the end, with finished().
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::string text(std::size_t limit) {
    const std::uint32_t size = u32();
    if (size > limit || size > left_.size()) return bad();
    std::string value(left_.substr(0, size));
    left_.remove_prefix(size);
    return value;
  }
  // Without NUL bytes: what becomes an argument, a path or an environment entry.
  std::string c_text(std::size_t limit) {
    std::string value = text(limit);
    return value.find('\0') == std::string::npos ? value : bad();
  }
  std::vector<std::string> c_texts(std::size_t max_count, std::size_t limit) {
    const std::uint32_t count = u32();
    if (count > max_count) bad();
    std::vector<std::string> values;
    for (std::uint32_t i = 0; good_ && i < count; ++i) values.push_back(c_text(limit));
    return values;
  }
  // Everything was there and nothing is left over.
  bool finished() const { return good_ && left_.empty(); }

 private:
  template <class T>
  T number() {
    T value{};
    if (left_.size() < sizeof value) {
      bad();
      return T{};
    }
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    return value;
  }
  std::string bad() {
    good_ = false;
    left_ = {};
    return {};
  }

  std::string_view left_;
  bool good_ = true;
};

}  // namespace wire
