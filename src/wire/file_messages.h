#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "wire/frame.h"

// File calls on the control socket of a sandbox. Each has a stream of its own: one request that opens it,
// what flows under a window, and an end, which is Done or init's Failed. init passes the frames on to a
// process inside the sandbox that does the work, and believes neither side.
namespace wire::file {

constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxName = 255;
constexpr std::size_t kMaxAttribute = 64 << 10;  // the kernel's own limit for one value
constexpr std::size_t kMaxAttributes = 1024;
constexpr std::size_t kMaxEntries = 1024;  // in one message
// Unacknowledged bytes on their way, in either direction.
constexpr std::size_t kWindow = 256 << 10;

// Whether the last part of a path is followed when it is a symbolic link.
enum class Links : std::uint8_t { kFollow = 0, kKeep = 1 };
enum class Order : std::uint8_t { kName = 0, kNewestFirst = 1, kLargestFirst = 2 };
enum class Parents : std::uint8_t { kMustExist = 0, kMake = 1 };
enum class Existing : std::uint8_t { kRefuse = 0, kReplace = 1 };
enum class Format : std::uint8_t { kTar = 0, kTarGzip = 1, kZip = 2 };
enum class How : std::uint8_t {
  kReplace = 0,  // the whole file at once, when all of it has come
  kCreate = 1,   // the same, but there must be none
  kPatch = 2,    // an existing file, in place, from an offset on
  kAppend = 3,   // in place
};

// engine → worker
struct Stat {
  std::string path;
  Links links = Links::kFollow;
};
struct List {
  std::string path;
  std::uint32_t depth = 1;
  Order order = Order::kName;  // within each directory; what lies below an entry comes right after it
  std::uint64_t skip = 0;      // with `limit`: pages
  std::uint64_t limit = 0;     // 0: all
};
struct Read {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t length = UINT64_MAX;  // at most
};
struct Write {
  std::string path;
  How how = How::kReplace;
  Parents parents = Parents::kMustExist;
  std::uint64_t offset = 0;       // of a patch
  std::uint32_t mode = kOldMode;  // permission bits; kOldMode: those of the file it replaces, or 0644
  static constexpr std::uint32_t kOldMode = UINT32_MAX;
};
struct MakeDirectory {
  std::string path;
  std::uint32_t mode = 0755;
  Parents parents = Parents::kMake;  // with kMake, one that is there already is fine
};
struct Move {
  std::string from;
  std::string to;
  Existing existing = Existing::kReplace;
};
struct Remove {
  std::string path;
  std::uint8_t tree = 0;  // 1: with everything below it
};
struct SetMode {
  std::string path;
  std::uint32_t mode = 0;
};
struct MakeSymlink {
  std::string target;
  std::string path;
};
struct GetAttributes {
  std::string path;
};
struct SetAttribute {
  std::string path;
  std::string name;  // user.*
  std::string value;
};
struct RemoveAttribute {
  std::string path;
  std::string name;
};
// A directory with everything below it as an archive, which comes in Bytes.
struct Pack {
  std::string path;
  Format format = Format::kTar;
  std::uint64_t most_entries = 1'000'000;
  std::uint64_t most_bytes = std::uint64_t{16} << 30;  // of what is packed
};
// An archive, which goes in Data, into a directory: all of it or nothing.
struct Unpack {
  std::string path;  // made when it is missing
  Format format = Format::kTar;
  Existing existing = Existing::kReplace;  // what to do with files that are there; directories are joined
  std::uint64_t most_entries = 100'000;
  std::uint64_t most_bytes = std::uint64_t{1} << 30;
};
// Tells of changes in a directory until it is cancelled, or the directory goes.
struct Watch {
  std::string path;
  std::uint8_t tree = 0;  // 1: and of those in every directory below it, also in new ones
};
// These go to a call that is under way.
struct Data {
  std::string bytes;  // empty: the end
};
struct Credit {
  std::uint32_t bytes = 0;  // that were taken of what the worker sent
};
struct Cancel {};
using Request =
    std::variant<Data, Credit, Cancel, Stat, List, Read, Write, MakeDirectory, Move, Remove, SetMode,
                 MakeSymlink, GetAttributes, SetAttribute, RemoveAttribute, Pack, Unpack, Watch>;

// worker → engine
enum class Kind : std::uint8_t {
  kFile = 0,
  kDirectory = 1,
  kSymlink = 2,
  kFifo = 3,
  kSocket = 4,
  kCharacterDevice = 5,
  kBlockDevice = 6,
};
struct Entry {
  std::string path;  // below the listed directory; the resolved path's last name otherwise
  Kind kind = Kind::kFile;
  std::uint32_t mode = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t links = 0;
  std::uint64_t size = 0;
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;
  std::string target;  // of a symbolic link
};
struct Entries {
  std::vector<Entry> entries;
};
struct Opened {
  Entry entry;  // as it was when it was opened; no byte past this size is read
};
struct Bytes {
  std::string bytes;
};
// This much of the data has been written.
struct Taken {
  std::uint32_t bytes = 0;
};
struct Attribute {
  std::string name;
  std::string value;
};
struct Done {
  std::uint64_t entries = 0;  // removed, listed, packed
  std::uint64_t bytes = 0;    // read, written, packed
  std::uint64_t skipped = 0;  // what an archive cannot hold: FIFOs, sockets, devices
};
enum class Change : std::uint8_t {
  kWatching = 0,  // from here on nothing is missed
  kCreated = 1,   // or moved here; what a new directory holds may be told twice
  kModified = 2,
  kAttributes = 3,
  kRemoved = 4,   // or moved away
  kOverflow = 5,  // there was more than could be kept: look again
};
struct Changed {
  Change change = Change::kWatching;
  std::string path;  // below the watched directory; empty: itself
  std::uint8_t is_directory = 0;
};
using Event = std::variant<Entries, Opened, Bytes, Taken, Attribute, Done, Changed>;

std::string encode(std::uint32_t stream, const Request& request);
std::string encode(std::uint32_t stream, const Event& event);
bool is_request(std::uint32_t type);
bool is_event(std::uint32_t type);
// A request that opens a stream.
bool is_opening(std::uint32_t type);
// An event after which nothing comes on its stream.
bool is_end(std::uint32_t type);
base::Result<Request> decode_request(const Frame& frame);
base::Result<Event> decode_event(const Frame& frame);

// Whether a worker would take this request: absolute paths without NUL, of at most 4096 bytes.
base::Result<> check(const Request& request);

}  // namespace wire::file
