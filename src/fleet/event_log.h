#pragma once

#include <memory>
#include <vector>

#include "base/error.h"
#include "fleet/event.h"
#include "sys/fd.h"

namespace fleet {

using base::Result;

// Where logs go that are too large for memory: files without a name in one directory, bounded in number and
// bytes for all logs together.
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
  // Into the file, which is opened when there is none.
  Result<> write(sys::UniqueFd& file, std::uint64_t offset, std::string_view bytes);
  // Gives back what lies between; the rest stays where it is.
  Result<> release(const sys::UniqueFd& file, std::uint64_t from, std::uint64_t to);
  void close(sys::UniqueFd& file, std::uint64_t size);

  const std::string directory_;
  const Limits limits_;
  std::size_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

// Everything that a run told, in order, to be read again from any event on. The end of it is in memory, and
// what lies before, of a long one, in a file. Never waits for a reader. Output joins the piece before it as
// long as nobody has read that.
class EventLog {
 public:
  // What is let go of when there is more output than the limit: what comes then, or what came first.
  enum class Keep : std::uint8_t { kFirst, kLast };
  struct Limits {
    std::uint64_t output = 10 << 20;  // bytes of stdout and stderr together; of the last, at least as many
    std::uint64_t rich = 64 << 20;    // bytes of what runtimes tell
    std::size_t memory = 64 << 10;
    Keep keep = Keep::kFirst;
  };
  EventLog(std::shared_ptr<Spools> spools, Limits limits) : spools_(std::move(spools)), limits_(limits) {}
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // Output past its limit, or without room in the spools, is counted and dropped.
  void add_output(EventKind channel, std::string_view bytes);
  // False: there is no room for it.
  bool add_rich(EventKind kind, std::string_view bytes);
  // Our own words: short, few, and always taken.
  void add(EventKind kind, std::string_view bytes = {});

  std::uint64_t last() const { return last_.number; }
  // Events after this one that are kept, about `most_bytes` together, but at least one when there is one.
  Result<std::vector<Event>> after(std::uint64_t number, std::size_t most_bytes);

  std::uint64_t dropped() const { return dropped_; }  // bytes of output
  // Bytes of output before the first event that is kept.
  std::uint64_t forgotten() const { return begin_.output; }
  std::uint64_t size() const { return end_ - begin_.offset; }  // bytes kept
  std::size_t memory() const { return tail_.size(); }
  // Out of memory, as far as there is room elsewhere.
  void spill();

 private:
  struct Place {
    std::uint64_t number = 0;
    std::uint64_t offset = 0;
    std::uint64_t output = 0;  // bytes of it before
  };
  struct Last : Place {
    EventKind kind = EventKind::kStarted;
    std::size_t size = 0;
  };

  bool make_room(std::size_t size);
  // Everything before this place, which is that of an event or the end.
  void forget(const Place& place);
  void forget_surplus();
  bool join(EventKind kind, std::string_view bytes);
  Place place_before(std::uint64_t number) const;
  Result<std::string> read(std::uint64_t offset, std::uint64_t size) const;

  const std::shared_ptr<Spools> spools_;
  const Limits limits_;
  sys::UniqueFd file_;
  Place begin_{.number = 1};      // of what is kept
  std::uint64_t spooled_ = 0;     // bytes that the file takes
  std::uint64_t tail_begin_ = 0;  // what lies before is in the file
  std::string tail_;
  std::uint64_t end_ = 0;
  std::vector<Place> marks_;  // some of the events, to find the others
  Last last_;
  std::uint64_t read_ = 0;  // the last event that somebody has read
  std::uint64_t output_ = 0;
  std::uint64_t rich_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace fleet
