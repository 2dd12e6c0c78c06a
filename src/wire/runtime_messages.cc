#include "wire/runtime_messages.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "wire/frame.h"

namespace wire::runtime {

namespace {

constexpr std::array<std::pair<std::string_view, Verb>, 4> kVerbs = {{
    {"ready", Verb::kReady},
    {"event", Verb::kEvent},
    {"part", Verb::kPart},
    {"done", Verb::kDone},
}};

base::Error malformed() { return {base::Code::kInvalid, "a runtime does not keep to the protocol"}; }

// Exactly three words with one space between them.
std::optional<std::array<std::string_view, 3>> words_of(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  return std::array{line.substr(0, first), line.substr(first + 1, second - first - 1),
                    line.substr(second + 1)};
}

// Without sign, space or leading zeros.
std::optional<std::uint32_t> number_of(std::string_view word) {
  std::uint32_t value = 0;
  const char* const end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, value);
  const bool is_short = word == "0" || !word.starts_with('0');
  if (parsed.ec != std::errc() || parsed.ptr != end || !is_short) return std::nullopt;
  return value;
}

}  // namespace

std::string encode_execute(std::uint32_t execution, std::string_view payload) {
  std::string message = "execute " + std::to_string(execution) + " " + std::to_string(payload.size()) + "\n";
  message += payload;
  return message;
}

std::string encode_seen(std::uint32_t execution) { return "seen " + std::to_string(execution) + " 0\n"; }

base::Result<std::optional<Piece>> PieceReader::next() {
  if (!open_) {
    ASSIGN_OR_RETURN(open_, read_header());
  }
  if (!open_) return std::optional<Piece>();
  const std::size_t here =
      std::min<std::size_t>({buffer_.size() - used_, open_->total - open_->given, kMaxChunk});
  if (here == 0 && open_->total != 0) return std::optional<Piece>();
  Piece piece{.verb = open_->verb,
              .execution = open_->execution,
              .total = open_->total,
              .offset = open_->given,
              .bytes = take(here)};
  open_->given += static_cast<std::uint32_t>(here);
  if (piece.is_last()) open_.reset();
  return std::optional(std::move(piece));
}

base::Result<std::optional<PieceReader::Open>> PieceReader::read_header() {
  const std::string_view left = std::string_view(buffer_).substr(used_);
  const std::size_t end = left.find('\n');
  const bool is_whole = end != std::string_view::npos;
  if (!is_whole && left.size() < kMaxHeader) return std::optional<Open>();
  if (!is_whole || end >= kMaxHeader) return std::unexpected(malformed());
  const auto words = words_of(left.substr(0, end));
  if (!words) return std::unexpected(malformed());
  const auto verb = std::ranges::find(kVerbs, (*words)[0], &std::pair<std::string_view, Verb>::first);
  const auto execution = number_of((*words)[1]);
  const auto total = number_of((*words)[2]);
  const bool is_sound = verb != kVerbs.end() && execution && total && *total <= kMaxPayload;
  if (!is_sound) return std::unexpected(malformed());
  Open open{.verb = verb->second, .execution = *execution, .total = *total};
  (void)take(end + 1);
  return std::optional(open);
}

std::string PieceReader::take(std::size_t size) {
  std::string bytes = buffer_.substr(used_, size);
  used_ += size;
  // What was read is given up now and then, not with each line.
  if (used_ == buffer_.size() || used_ >= kMaxChunk) {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  return bytes;
}

}  // namespace wire::runtime
