#include "fleet/event_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sys/file.h"
#include "sys/retry.h"

namespace fleet {

namespace {

using base::Code;

// Before each event: its kind in the upper bits, its size in the lower ones.
constexpr std::size_t kHeader = 4;
constexpr std::uint32_t kSizeBits = 28;
constexpr std::size_t kLargest = (1U << kSizeBits) - 1;
constexpr std::size_t kLargestOutput = 64 << 10;
constexpr std::uint64_t kBetweenMarks = 16 << 10;
// What is read at a time, to look for events in.
constexpr std::size_t kBlock = 64 << 10;

struct Header {
  EventKind kind = EventKind::kStarted;
  std::size_t size = 0;
};

std::array<char, kHeader> encode(const Header& header) {
  const std::uint32_t word =
      static_cast<std::uint32_t>(header.kind) << kSizeBits | static_cast<std::uint32_t>(header.size);
  std::array<char, kHeader> bytes;
  std::memcpy(bytes.data(), &word, kHeader);
  return bytes;
}

Header decode(std::string_view bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data(), kHeader);
  return {.kind = static_cast<EventKind>(word >> kSizeBits), .size = word & kLargest};
}

}  // namespace

Result<> Spools::write(sys::UniqueFd& file, std::uint64_t offset, std::string_view bytes) {
  if (bytes_ + bytes.size() > limits_.bytes || (!file && files_ >= limits_.files)) {
    return base::fail(Code::kExhausted, "there is no more room for output in " + directory_);
  }
  if (!file) {
    ASSIGN_OR_RETURN(file, sys::open(directory_, O_TMPFILE | O_RDWR, 0600));
    ++files_;
  }
  for (std::size_t done = 0; done < bytes.size();) {
    const std::string_view rest = bytes.substr(done);
    const ssize_t n = sys::retry(
        [&] { return ::pwrite(file.get(), rest.data(), rest.size(), static_cast<off_t>(offset + done)); });
    if (n <= 0) return base::failed_call("pwrite(spool)");
    done += static_cast<std::size_t>(n);
  }
  bytes_ += bytes.size();
  return {};
}

Result<> Spools::release(const sys::UniqueFd& file, std::uint64_t from, std::uint64_t to) {
  const auto punched = sys::retry([&] {
    return ::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                       static_cast<off_t>(to - from));
  });
  if (punched != 0) return base::failed_call("fallocate(spool)");
  bytes_ -= to - from;
  return {};
}

void Spools::close(sys::UniqueFd& file, std::uint64_t size) {
  if (!file) return;
  file.reset();
  --files_;
  bytes_ -= size;
}

EventLog::~EventLog() { spools_->close(file_, spooled_); }

void EventLog::spill() {
  if (tail_.empty() || !spools_->write(file_, tail_begin_, tail_)) return;
  spooled_ += tail_.size();
  tail_begin_ = end_;
  tail_.clear();
  tail_.shrink_to_fit();
}

// In the tail, or in the file behind it.
bool EventLog::make_room(std::size_t size) {
  if (tail_.size() + size <= limits_.memory) return true;
  spill();
  return tail_.empty();
}

void EventLog::forget(const Place& place) {
  if (place.offset < tail_begin_) {
    if (spools_->release(file_, begin_.offset, place.offset)) spooled_ -= place.offset - begin_.offset;
  } else {
    spools_->close(file_, std::exchange(spooled_, 0));
    tail_.erase(0, place.offset - tail_begin_);
    tail_begin_ = place.offset;
  }
  begin_ = place;
  std::erase_if(marks_, [&](const Place& mark) { return mark.number < begin_.number; });
}

// A quarter more than the limit may come together, so that it is done seldom.
void EventLog::forget_surplus() {
  if (output_ - begin_.output <= limits_.output + limits_.output / 4) return;
  const auto behind = std::ranges::upper_bound(marks_, output_ - limits_.output, {}, &Place::output);
  if (behind != marks_.begin()) forget(Place(*std::prev(behind)));
}

void EventLog::add_output(EventKind channel, std::string_view bytes) {
  const bool keeps_last = limits_.keep == Keep::kLast;
  const std::uint64_t room = limits_.output - std::min(limits_.output, output_);
  if (!keeps_last && bytes.size() > room) {
    dropped_ += bytes.size() - room;
    bytes = bytes.substr(0, room);
  }
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kLargestOutput);
    bytes.remove_prefix(piece.size());
    if (!make_room(kHeader + piece.size())) {
      if (!keeps_last) {
        dropped_ += piece.size();
        continue;
      }
      forget({.number = last_.number + 1, .offset = end_, .output = output_});
    }
    if (!join(channel, piece)) add(channel, piece);
    output_ += piece.size();
    if (keeps_last) forget_surplus();
  }
}

bool EventLog::join(EventKind kind, std::string_view bytes) {
  const bool may_join = last_.number > read_ && last_.kind == kind && last_.offset >= tail_begin_ &&
                        last_.size + bytes.size() <= kLargestOutput;
  if (!may_join) return false;
  last_.size += bytes.size();
  const auto header = encode({.kind = kind, .size = last_.size});
  tail_.replace(last_.offset - tail_begin_, kHeader, header.data(), kHeader);
  tail_ += bytes;
  end_ += bytes.size();
  return true;
}

bool EventLog::add_rich(EventKind kind, std::string_view bytes) {
  const bool has_room = bytes.size() <= kLargest && rich_ + bytes.size() <= limits_.rich;
  if (!has_room || !make_room(kHeader + bytes.size())) return false;
  const Last before = last_;
  const std::size_t marks = marks_.size();
  add(kind, bytes);
  if (tail_.size() > limits_.memory) {
    // It is all that there is in the tail, and the file does not take it.
    tail_.clear();
    end_ = last_.offset;
    last_ = before;
    marks_.resize(marks);
    return false;
  }
  rich_ += kHeader + bytes.size();
  return true;
}

void EventLog::add(EventKind kind, std::string_view bytes) {
  last_ = {{.number = last_.number + 1, .offset = end_, .output = output_}, kind, bytes.size()};
  if (marks_.empty() || end_ >= marks_.back().offset + kBetweenMarks) marks_.push_back(last_);
  const auto header = encode({.kind = kind, .size = bytes.size()});
  tail_.append(header.data(), kHeader).append(bytes);
  end_ += kHeader + bytes.size();
  // One that is large by itself does not stay.
  if (tail_.size() > limits_.memory) spill();
}

EventLog::Place EventLog::place_before(std::uint64_t number) const {
  const auto behind = std::ranges::upper_bound(marks_, number, {}, &Place::number);
  return behind == marks_.begin() ? begin_ : *std::prev(behind);
}

Result<std::string> EventLog::read(std::uint64_t offset, std::uint64_t size) const {
  std::string bytes(size, '\0');
  std::uint64_t done = 0;
  while (done < size && offset + done < tail_begin_) {
    const std::uint64_t most = std::min(size - done, tail_begin_ - offset - done);
    const ssize_t n = sys::retry(
        [&] { return ::pread(file_.get(), bytes.data() + done, most, static_cast<off_t>(offset + done)); });
    if (n <= 0) return base::failed_call("pread(spool)", n == 0 ? EIO : errno);
    done += static_cast<std::uint64_t>(n);
  }
  if (done < size) tail_.copy(bytes.data() + done, size - done, offset + done - tail_begin_);
  return bytes;
}

Result<std::vector<Event>> EventLog::after(std::uint64_t number, std::size_t most_bytes) {
  std::vector<Event> events;
  if (number >= last_.number) return events;
  Place at = place_before(number + 1);
  std::size_t taken = 0;
  std::string block;
  std::uint64_t block_begin = at.offset;
  while (at.number <= last_.number && (events.empty() || taken < most_bytes)) {
    std::uint64_t in_block = at.offset - block_begin;
    const bool has_header = in_block + kHeader <= block.size();
    const auto header = has_header ? decode(std::string_view(block).substr(in_block)) : Header{};
    const bool is_wanted = at.number > number;
    const bool has_all = has_header && (!is_wanted || in_block + kHeader + header.size <= block.size());
    if (!has_all) {
      const std::uint64_t least = has_header ? kHeader + header.size : kHeader;
      ASSIGN_OR_RETURN(block, read(at.offset, std::min<std::uint64_t>(std::max<std::uint64_t>(kBlock, least),
                                                                      end_ - at.offset)));
      block_begin = at.offset;
      continue;
    }
    if (is_wanted) {
      taken += header.size;
      events.push_back({at.number, header.kind, block.substr(in_block + kHeader, header.size)});
    }
    at.offset += kHeader + header.size;
    ++at.number;
  }
  read_ = std::max(read_, at.number - 1);
  return events;
}

}  // namespace fleet
