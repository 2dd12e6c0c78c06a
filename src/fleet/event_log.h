#pragma once

#include <memory>
#include <vector>

#include "base/error.h"
#include "fleet/event.h"
#include "sys/fd.h"

namespace fleet {

using base::Result;

// Where logs go that are too large for memory: files without a name in one directory, bounded in number and
// bytes for all logs together. Outlives them.
class Spools {
 public:
  struct Limits {
    std::size_t files = 4096;
    std::uint64_t bytes = std::uint64_t{8} << 30;
  };
  Spools(std::string directory, Limits limits) : directory_(std::move(directory)), limits_(limits) {}

  std::size_t files() const { return files_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  friend class EventLog;
  Result<sys::UniqueFd> open();

  const std::string directory_;
  const Limits limits_;
  std::size_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

// Everything that a run told, in order, to be read again from any event on. Short logs are in memory, long
// ones in a file. Never waits for a reader. Output that comes while nobody has read the last piece joins it.
class EventLog {
 public:
  struct Limits {
    std::uint64_t output = 10 << 20;  // bytes of stdout and stderr together; what is more is counted
    std::uint64_t rich = 64 << 20;    // bytes of everything else
    std::size_t in_memory = 64 << 10;
  };
  EventLog(Spools& spools, Limits limits) : spools_(spools), limits_(limits) {}
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // False: there was no room, and it is counted instead.
  bool add(EventKind kind, std::string_view bytes);
  std::uint64_t last() const { return last_; }
  // Events after this one, of `most_bytes` together, but at least one when there is one.
  Result<std::vector<Event>> after(std::uint64_t number, std::size_t most_bytes);

  std::uint64_t dropped() const { return dropped_; }  // bytes of output and of what else there was no room for
  std::uint64_t size() const { return end_; }         // bytes kept
  std::size_t memory() const { return memory_.size(); }
  // Out of memory, into its file; stays where it is when there is no room.
  void spill();

 private:
  struct Mark {
    std::uint64_t number = 0;
    std::uint64_t offset = 0;
  };
  struct Record {
    EventKind kind = EventKind::kStarted;
    std::uint64_t header = 0;
    std::uint64_t size = 0;
  };

  bool has_room(EventKind kind, std::size_t size) const;
  bool append(std::string_view bytes);
  bool join(EventKind kind, std::string_view bytes);
  Result<> read(std::uint64_t offset, std::size_t size, std::string& out) const;
  Result<Record> record_at(std::uint64_t offset) const;
  Result<std::uint64_t> offset_of(std::uint64_t number) const;

  Spools& spools_;
  const Limits limits_;
  std::string memory_;  // all of it, until there is a file
  sys::UniqueFd file_;
  std::uint64_t end_ = 0;  // bytes in memory or file
  std::vector<Mark> marks_;
  std::uint64_t last_ = 0;
  EventKind last_kind_ = EventKind::kStarted;
  std::uint64_t last_offset_ = 0;
  std::size_t last_size_ = 0;
  std::uint64_t read_ = 0;  // the last event that somebody has read
  std::uint64_t output_ = 0;
  std::uint64_t rich_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace fleet
