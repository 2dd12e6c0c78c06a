#include "wire/file_messages.h"

#include "wire/variant_frames.h"

namespace wire::file {

namespace {

constexpr std::uint32_t kRequestBase = 0x300;
constexpr std::uint32_t kEventBase = 0x400;

template <class Enum>
void put_enum(Writer& w, Enum value) {
  w.u8(static_cast<std::uint8_t>(value));
}

void put(Writer& w, const Stat& m) {
  w.text(m.path);
  put_enum(w, m.links);
}
void put(Writer& w, const List& m) {
  w.text(m.path);
  w.u32(m.depth);
  put_enum(w, m.order);
  w.u64(m.skip);
  w.u64(m.limit);
}
void put(Writer& w, const Read& m) {
  w.text(m.path);
  w.u64(m.offset);
  w.u64(m.length);
}
void put(Writer& w, const Write& m) {
  w.text(m.path);
  put_enum(w, m.how);
  put_enum(w, m.parents);
  w.u64(m.offset);
  w.u32(m.mode);
}
void put(Writer& w, const MakeDirectory& m) {
  w.text(m.path);
  w.u32(m.mode);
  put_enum(w, m.parents);
}
void put(Writer& w, const Move& m) {
  w.text(m.from);
  w.text(m.to);
  put_enum(w, m.existing);
}
void put(Writer& w, const Remove& m) {
  w.text(m.path);
  w.u8(m.tree);
}
void put(Writer& w, const SetMode& m) {
  w.text(m.path);
  w.u32(m.mode);
}
void put(Writer& w, const MakeSymlink& m) {
  w.text(m.target);
  w.text(m.path);
}
void put(Writer& w, const GetAttributes& m) { w.text(m.path); }
void put(Writer& w, const SetAttribute& m) {
  w.text(m.path);
  w.text(m.name);
  w.text(m.value);
}
void put(Writer& w, const RemoveAttribute& m) {
  w.text(m.path);
  w.text(m.name);
}
void put(Writer& w, const Pack& m) {
  w.text(m.path);
  put_enum(w, m.format);
  w.u64(m.most_entries);
  w.u64(m.most_bytes);
}
void put(Writer& w, const Unpack& m) {
  w.text(m.path);
  put_enum(w, m.format);
  put_enum(w, m.existing);
  w.u64(m.most_entries);
  w.u64(m.most_bytes);
}
void put(Writer& w, const Watch& m) {
  w.text(m.path);
  w.u8(m.tree);
}
void put(Writer& w, const Data& m) { w.text(m.bytes); }
void put(Writer& w, const Credit& m) { w.u32(m.bytes); }
void put(Writer&, const Cancel&) {}
void put(Writer& w, const Entry& m) {
  w.text(m.path);
  put_enum(w, m.kind);
  for (const std::uint32_t value : {m.mode, m.uid, m.gid, m.links}) w.u32(value);
  for (const std::uint64_t value : {m.size, m.inode, static_cast<std::uint64_t>(m.modified_ns)}) w.u64(value);
  w.text(m.target);
}
void put(Writer& w, const Entries& m) {
  w.u32(static_cast<std::uint32_t>(m.entries.size()));
  for (const Entry& entry : m.entries) put(w, entry);
}
void put(Writer& w, const Opened& m) { put(w, m.entry); }
void put(Writer& w, const Bytes& m) { w.text(m.bytes); }
void put(Writer& w, const Taken& m) { w.u32(m.bytes); }
void put(Writer& w, const Attribute& m) {
  w.text(m.name);
  w.text(m.value);
}
void put(Writer& w, const Done& m) {
  w.u64(m.entries);
  w.u64(m.bytes);
  w.u64(m.skipped);
}

void put(Writer& w, const Changed& m) {
  put_enum(w, m.change);
  w.text(m.path);
  w.u8(m.is_directory);
}

// False when the byte stands for nothing.
template <class Enum>
bool get_enum(Reader& r, Enum& value, Enum last) {
  const std::uint8_t byte = r.u8();
  value = static_cast<Enum>(byte);
  return byte <= static_cast<std::uint8_t>(last);
}

bool get_path(Reader& r, std::string& path) {
  path = r.c_text(kMaxPath);
  return path.starts_with('/');
}

bool is_permission(std::uint32_t mode) { return (mode & ~07777U) == 0; }

bool get_attribute_name(Reader& r, std::string& name) {
  name = r.c_text(kMaxName);
  return name.starts_with("user.") && name.size() > 5;
}

bool get(Reader& r, Stat& m) { return get_path(r, m.path) && get_enum(r, m.links, Links::kKeep); }
bool get(Reader& r, List& m) {
  if (!get_path(r, m.path)) return false;
  m.depth = r.u32();
  const bool known = get_enum(r, m.order, Order::kLargestFirst);
  m.skip = r.u64();
  m.limit = r.u64();
  return known && m.depth != 0;
}
bool get(Reader& r, Read& m) {
  if (!get_path(r, m.path)) return false;
  m.offset = r.u64();
  m.length = r.u64();
  return m.offset <= INT64_MAX;
}
bool get(Reader& r, Write& m) {
  if (!get_path(r, m.path) || !get_enum(r, m.how, How::kAppend)) return false;
  if (!get_enum(r, m.parents, Parents::kMake)) return false;
  m.offset = r.u64();
  m.mode = r.u32();
  return m.offset <= INT64_MAX && (m.mode == Write::kOldMode || is_permission(m.mode));
}
bool get(Reader& r, MakeDirectory& m) {
  if (!get_path(r, m.path)) return false;
  m.mode = r.u32();
  return is_permission(m.mode) && get_enum(r, m.parents, Parents::kMake);
}
bool get(Reader& r, Move& m) {
  return get_path(r, m.from) && get_path(r, m.to) && get_enum(r, m.existing, Existing::kReplace);
}
bool get(Reader& r, Remove& m) {
  if (!get_path(r, m.path)) return false;
  m.tree = r.u8();
  return m.tree <= 1;
}
bool get(Reader& r, SetMode& m) {
  if (!get_path(r, m.path)) return false;
  m.mode = r.u32();
  return is_permission(m.mode);
}
bool get(Reader& r, MakeSymlink& m) {
  m.target = r.c_text(kMaxPath - 1);
  return !m.target.empty() && get_path(r, m.path);
}
bool get(Reader& r, GetAttributes& m) { return get_path(r, m.path); }
bool get(Reader& r, SetAttribute& m) {
  if (!get_path(r, m.path) || !get_attribute_name(r, m.name)) return false;
  m.value = r.text(kMaxAttribute);
  return true;
}
bool get(Reader& r, RemoveAttribute& m) { return get_path(r, m.path) && get_attribute_name(r, m.name); }
bool get(Reader& r, Pack& m) {
  if (!get_path(r, m.path) || !get_enum(r, m.format, Format::kZip)) return false;
  m.most_entries = r.u64();
  m.most_bytes = r.u64();
  return true;
}
bool get(Reader& r, Unpack& m) {
  if (!get_path(r, m.path) || !get_enum(r, m.format, Format::kZip)) return false;
  if (!get_enum(r, m.existing, Existing::kReplace)) return false;
  m.most_entries = r.u64();
  m.most_bytes = r.u64();
  return true;
}
bool get(Reader& r, Watch& m) {
  if (!get_path(r, m.path)) return false;
  m.tree = r.u8();
  return m.tree <= 1;
}
bool get(Reader& r, Data& m) {
  m.bytes = r.text(kMaxChunk);
  return true;
}
bool get(Reader& r, Credit& m) {
  m.bytes = r.u32();
  return m.bytes <= kWindow;
}
bool get(Reader&, Cancel&) { return true; }
bool get(Reader& r, Entry& m) {
  m.path = r.c_text(kMaxPath);
  const bool known = get_enum(r, m.kind, Kind::kBlockDevice);
  for (std::uint32_t* value : {&m.mode, &m.uid, &m.gid, &m.links}) *value = r.u32();
  m.size = r.u64();
  m.inode = r.u64();
  m.modified_ns = static_cast<std::int64_t>(r.u64());
  m.target = r.c_text(kMaxPath);
  return known && is_permission(m.mode);
}
bool get(Reader& r, Entries& m) {
  const std::uint32_t count = r.u32();
  if (count > kMaxEntries) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!get(r, m.entries.emplace_back())) return false;
  }
  return true;
}
bool get(Reader& r, Opened& m) { return get(r, m.entry); }
bool get(Reader& r, Bytes& m) {
  m.bytes = r.text(kMaxChunk);
  return !m.bytes.empty();
}
bool get(Reader& r, Taken& m) {
  m.bytes = r.u32();
  return m.bytes <= kWindow;
}
bool get(Reader& r, Attribute& m) {
  if (!get_attribute_name(r, m.name)) return false;
  m.value = r.text(kMaxAttribute);
  return true;
}
bool get(Reader& r, Done& m) {
  m.entries = r.u64();
  m.bytes = r.u64();
  m.skipped = r.u64();
  return true;
}

bool get(Reader& r, Changed& m) {
  const bool known = get_enum(r, m.change, Change::kOverflow);
  m.path = r.c_text(kMaxPath);
  m.is_directory = r.u8();
  return known && m.is_directory <= 1;
}

constexpr auto kPut = [](Writer& w, const auto& m) { put(w, m); };
constexpr auto kGet = [](Reader& r, auto& m) { return get(r, m); };

// Where an alternative stands in its variant.
template <class Alternative, class Variant, std::uint32_t I = 0>
constexpr std::uint32_t place_of() {
  if constexpr (std::is_same_v<Alternative, std::variant_alternative_t<I, Variant>>) {
    return I;
  } else {
    return place_of<Alternative, Variant, I + 1>();
  }
}

}  // namespace

std::string encode(std::uint32_t stream, const Request& request) {
  return encode_variant(kRequestBase, stream, request, kPut);
}
std::string encode(std::uint32_t stream, const Event& event) {
  return encode_variant(kEventBase, stream, event, kPut);
}

bool is_request(std::uint32_t type) { return type - kRequestBase < std::variant_size_v<Request>; }
bool is_event(std::uint32_t type) { return type - kEventBase < std::variant_size_v<Event>; }
bool is_opening(std::uint32_t type) {
  return is_request(type) && type - kRequestBase > place_of<Cancel, Request>();
}
bool is_end(std::uint32_t type) { return type == kEventBase + place_of<Done, Event>(); }

base::Result<Request> decode_request(const Frame& frame) {
  return decode_variant<Request>(frame.type - kRequestBase, frame, kGet);
}
base::Result<Event> decode_event(const Frame& frame) {
  return decode_variant<Event>(frame.type - kEventBase, frame, kGet);
}

base::Result<> check(const Request& request) {
  FrameReader reader;
  reader.feed(encode(1, request));
  auto frame = reader.next();
  if (frame && *frame && decode_request(**frame)) return {};
  return base::fail(
      base::Code::kInvalid,
      "a file call needs absolute paths of at most 4096 bytes without a NUL byte, permissions of "
      "at most 07777, and attributes named user.*");
}

}  // namespace wire::file
