#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

// What init and the runtime of a context say to each other: a line "VERB EXECUTION LENGTH", then so many
// bytes. Lines, because a runtime may be a shell script; pieces, because init passes on what it does not
// keep.
namespace wire::runtime {

constexpr std::size_t kMaxHeader = 64;
constexpr std::uint32_t kMaxPayload = 4 << 20;

enum class Verb : std::uint8_t { kReady = 1, kEvent = 2, kPart = 3, kDone = 4 };
constexpr Verb kLastVerb = Verb::kDone;

// A part of what a runtime says, at most a chunk long.
struct Piece {
  Verb verb = Verb::kReady;
  std::uint32_t execution = 0;
  std::uint32_t total = 0;   // of the whole payload
  std::uint32_t offset = 0;  // of these bytes in it
  std::string bytes;

  bool is_last() const { return offset + bytes.size() == total; }
};

// init → runtime
std::string encode_execute(std::uint32_t execution, std::string_view payload);
// A `ready` or an `event` has been passed on: what is written from now on comes after it.
std::string encode_seen(std::uint32_t execution);

// Collects bytes as they come and gives out pieces. After an error the runtime is not to be listened to.
class PieceReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  base::Result<std::optional<Piece>> next();

 private:
  // The message whose header was read: what is still to come of it.
  struct Open {
    Verb verb = Verb::kReady;
    std::uint32_t execution = 0;
    std::uint32_t total = 0;
    std::uint32_t given = 0;
  };
  base::Result<std::optional<Open>> read_header();
  std::string take(std::size_t size);

  std::string buffer_;
  std::size_t used_ = 0;
  std::optional<Open> open_;
};

}  // namespace wire::runtime
