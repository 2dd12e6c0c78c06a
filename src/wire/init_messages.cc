#include "wire/init_messages.h"

#include "wire/variant_frames.h"

namespace wire::init {

namespace {

constexpr std::uint32_t kRequestBase = 0x100;
constexpr std::uint32_t kEventBase = 0x200;

void put(Writer& w, const Window& m) {
  w.u32(m.rows);
  w.u32(m.columns);
}
void put(Writer& w, const Start& m) {
  w.texts(m.argv);
  w.texts(m.environment);
  w.text(m.cwd);
  w.u8(static_cast<std::uint8_t>(m.user));
  w.u8(static_cast<std::uint8_t>(m.input));
  w.u64(m.deadline_ms);
  w.u64(m.grace_ms);
  w.u64(m.output_cap);
  w.u8(m.terminal ? 1 : 0);
  if (m.terminal) put(w, *m.terminal);
}
void put(Writer& w, const Input& m) { w.text(m.bytes); }
void put(Writer& w, const Signal& m) { w.u32(m.number); }
void put(Writer& w, const PutFile& m) {
  w.text(m.path);
  w.u32(m.mode);
  w.text(m.bytes);
}
void put(Writer& w, const StartContext& m) {
  w.texts(m.argv);
  w.texts(m.environment);
  w.text(m.cwd);
  w.u8(static_cast<std::uint8_t>(m.user));
}
void put(Writer& w, const Execute& m) {
  w.u32(m.number);
  w.u64(m.deadline_ms);
  w.u64(m.grace_ms);
  w.u64(m.output_cap);
  w.text(m.payload);
}
void put(Writer& w, const ExpectContext& m) {
  w.texts(m.environment);
  w.text(m.cwd);
}
void put(Writer& w, const Acknowledge& m) { w.u64(m.number); }
void put(Writer&, const Stay&) {}
void put(Writer&, const List&) {}
void put(Writer& w, const Attach& m) { w.u64(m.after); }
void put(Writer& w, const Resize& m) { put(w, m.window); }
void put(Writer&, const AskUsed&) {}
void put(Writer& w, const Hello& m) {
  w.u32(m.version);
  w.u32(m.last_stream);
}
void put(Writer& w, const Started& m) { w.u32(m.pid); }
void put(Writer& w, const Output& m) {
  w.u8(static_cast<std::uint8_t>(m.channel));
  w.u64(m.offset);
  w.text(m.bytes);
}
void put(Writer& w, const Ended& m) {
  w.u8(static_cast<std::uint8_t>(m.cause));
  w.u32(m.exit_code);
  w.u32(m.signal);
  w.u32(m.limits_hit);
  for (const std::uint64_t value : {m.usage.wall_us, m.usage.cpu_us, m.usage.peak_memory_bytes,
                                    m.usage.stdout_bytes, m.usage.stderr_bytes, m.usage.dropped_bytes}) {
    w.u64(value);
  }
}
void put(Writer& w, const Failed& m) {
  w.u32(m.code);
  w.u32(static_cast<std::uint32_t>(m.sys_errno));
  w.text(m.message);
}
void put(Writer&, const Done&) {}
void put(Writer& w, const Used& m) { w.u64(m.cpu_us); }
void put(Writer& w, const InputTaken& m) { w.u32(m.bytes); }
void put(Writer& w, const Said& m) {
  w.u8(static_cast<std::uint8_t>(m.piece.verb));
  w.u32(m.piece.execution);
  w.u32(m.piece.total);
  w.u32(m.piece.offset);
  w.text(m.piece.bytes);
}
void put(Writer& w, const Wrote& m) {
  w.u32(m.execution);
  put(w, m.output);
}
void put(Writer& w, const Executed& m) {
  w.u32(m.execution);
  put(w, m.end);
}

void put(Writer& w, const Found& m) {
  w.u8(static_cast<std::uint8_t>(m.kind));
  w.u8(static_cast<std::uint8_t>(m.state));
  w.u32(m.pid);
  w.u64(m.started_us);
  w.texts(m.argv);
  w.u32(m.execution);
  for (const std::uint64_t value :
       {m.acknowledged, m.last, m.stdout_bytes, m.stderr_bytes, m.input_received, m.input_taken}) {
    w.u64(value);
  }
}

bool get(Reader& r, Window& m) {
  constexpr std::uint32_t kMost = 0xffff;
  const std::uint32_t rows = r.u32();
  const std::uint32_t columns = r.u32();
  m.rows = static_cast<std::uint16_t>(rows);
  m.columns = static_cast<std::uint16_t>(columns);
  return rows <= kMost && columns <= kMost;
}

bool get(Reader& r, Start& m) {
  m.argv = r.c_texts(kMaxStrings, kMaxString);
  m.environment = r.c_texts(kMaxStrings, kMaxString);
  m.cwd = r.c_text(kMaxPath);
  const std::uint8_t user = r.u8();
  const std::uint8_t input = r.u8();
  m.user = static_cast<User>(user);
  m.input = static_cast<Stdin>(input);
  m.deadline_ms = r.u64();
  m.grace_ms = r.u64();
  m.output_cap = r.u64();
  const std::uint8_t terminal = r.u8();
  const bool fits = terminal == 0 || get(r, m.terminal.emplace());
  const bool agrees = terminal == 0 || m.input == Stdin::kStream;
  return user <= 1 && input <= 1 && terminal <= 1 && fits && agrees && !m.argv.empty();
}
bool get(Reader& r, Input& m) {
  m.bytes = r.text(kMaxChunk);
  return true;
}
bool get(Reader& r, Signal& m) {
  m.number = r.u32();
  return m.number >= 1 && m.number <= 64;
}
bool get(Reader& r, PutFile& m) {
  m.path = r.c_text(kMaxPath);
  m.mode = r.u32();
  m.bytes = r.text(kMaxFileBytes);
  return (m.mode & ~0777U) == 0;
}
bool get(Reader& r, StartContext& m) {
  m.argv = r.c_texts(kMaxStrings, kMaxString);
  m.environment = r.c_texts(kMaxStrings, kMaxString);
  m.cwd = r.c_text(kMaxPath);
  const std::uint8_t user = r.u8();
  m.user = static_cast<User>(user);
  return user <= 1 && !m.argv.empty();
}
bool get(Reader& r, Execute& m) {
  m.number = r.u32();
  m.deadline_ms = r.u64();
  m.grace_ms = r.u64();
  m.output_cap = r.u64();
  m.payload = r.text(kMaxExecution);
  return m.number != 0;
}
bool get(Reader& r, ExpectContext& m) {
  m.environment = r.c_texts(kMaxStrings, kMaxString);
  m.cwd = r.c_text(kMaxPath);
  return true;
}
bool get(Reader& r, Acknowledge& m) {
  m.number = r.u64();
  return true;
}
bool get(Reader&, Stay&) { return true; }
bool get(Reader&, List&) { return true; }
bool get(Reader& r, Attach& m) {
  m.after = r.u64();
  return true;
}
bool get(Reader& r, Resize& m) { return get(r, m.window); }
bool get(Reader&, AskUsed&) { return true; }
bool get(Reader& r, Hello& m) {
  m.version = r.u32();
  m.last_stream = r.u32();
  return m.last_stream <= kLastStream;
}
bool get(Reader& r, Started& m) {
  m.pid = r.u32();
  return true;
}
bool get(Reader& r, Output& m) {
  const std::uint8_t channel = r.u8();
  m.channel = static_cast<Channel>(channel);
  m.offset = r.u64();
  m.bytes = r.text(kMaxChunk);
  return channel == 1 || channel == 2;
}
bool get(Reader& r, Ended& m) {
  const std::uint8_t cause = r.u8();
  m.cause = static_cast<base::Cause>(cause);
  m.exit_code = r.u32();
  m.signal = r.u32();
  m.limits_hit = r.u32();
  for (std::uint64_t* value : {&m.usage.wall_us, &m.usage.cpu_us, &m.usage.peak_memory_bytes,
                               &m.usage.stdout_bytes, &m.usage.stderr_bytes, &m.usage.dropped_bytes}) {
    *value = r.u64();
  }
  return cause <= static_cast<std::uint8_t>(base::kLastCause) && m.exit_code <= 255 && m.signal <= 64;
}
bool get(Reader& r, Failed& m) {
  m.code = r.u32();
  m.sys_errno = static_cast<std::int32_t>(r.u32());
  m.message = r.text(kMaxMessage);
  return m.code <= static_cast<std::uint32_t>(base::Code::kInternal);
}
bool get(Reader&, Done&) { return true; }
bool get(Reader& r, Used& m) {
  m.cpu_us = r.u64();
  return true;
}
bool get(Reader& r, InputTaken& m) {
  m.bytes = r.u32();
  return m.bytes <= kInputWindow;
}
bool get(Reader& r, Said& m) {
  const std::uint8_t verb = r.u8();
  m.piece.verb = static_cast<runtime::Verb>(verb);
  m.piece.execution = r.u32();
  m.piece.total = r.u32();
  m.piece.offset = r.u32();
  m.piece.bytes = r.text(kMaxChunk);
  const bool fits = m.piece.total <= runtime::kMaxPayload && m.piece.offset <= m.piece.total &&
                    m.piece.bytes.size() <= m.piece.total - m.piece.offset;
  return verb >= 1 && verb <= static_cast<std::uint8_t>(runtime::kLastVerb) && fits;
}
bool get(Reader& r, Wrote& m) {
  m.execution = r.u32();
  return get(r, m.output);
}
bool get(Reader& r, Executed& m) {
  m.execution = r.u32();
  return get(r, m.end);
}

bool get(Reader& r, Found& m) {
  const std::uint8_t kind = r.u8();
  const std::uint8_t state = r.u8();
  m.kind = static_cast<Kind>(kind);
  m.state = static_cast<State>(state);
  m.pid = r.u32();
  m.started_us = r.u64();
  m.argv = r.c_texts(kMaxListedArguments, kMaxListedArgument);
  m.execution = r.u32();
  for (std::uint64_t* value :
       {&m.acknowledged, &m.last, &m.stdout_bytes, &m.stderr_bytes, &m.input_received, &m.input_taken}) {
    *value = r.u64();
  }
  return kind <= 1 && state <= 2 && m.acknowledged <= m.last && m.input_taken <= m.input_received &&
         m.input_received - m.input_taken <= kInputWindow;
}

constexpr auto kPut = [](Writer& w, const auto& m) { put(w, m); };
constexpr auto kGet = [](Reader& r, auto& m) { return get(r, m); };

}  // namespace

namespace {
std::size_t bytes_of(const Output& output) { return output.bytes.size(); }
std::size_t bytes_of(const Wrote& wrote) { return wrote.output.bytes.size(); }
std::size_t bytes_of(const Said& said) { return said.piece.bytes.size(); }
template <class Other>
std::size_t bytes_of(const Other&) {
  return 0;
}
}  // namespace

bool is_kept(const Event& event) {
  return std::holds_alternative<Output>(event) || std::holds_alternative<Wrote>(event) ||
         std::holds_alternative<Said>(event) || std::holds_alternative<Executed>(event) ||
         std::holds_alternative<Ended>(event);
}

std::size_t cost_of(const Event& event) {
  constexpr std::size_t kBesides = 128;  // what an event takes without its bytes
  return kBesides + std::visit([](const auto& one) { return bytes_of(one); }, event);
}

std::string encode(std::uint32_t stream, const Request& request) {
  return encode_variant(kRequestBase, stream, request, kPut);
}
std::string encode(std::uint32_t stream, const Event& event) {
  return encode_variant(kEventBase, stream, event, kPut);
}

base::Result<Request> decode_request(const Frame& frame) {
  return decode_variant<Request>(frame.type - kRequestBase, frame, kGet);
}
base::Result<Event> decode_event(const Frame& frame) {
  return decode_variant<Event>(frame.type - kEventBase, frame, kGet);
}

namespace {

template <class Message>
base::Result<> check_start(const Message& start) {
  bool fits = start.environment.size() <= kMaxStrings;
  if constexpr (requires { start.argv; }) fits = fits && start.argv.size() <= kMaxStrings;
  Writer writer;
  put(writer, start);
  const std::string payload = writer.take();
  if (!fits || payload.size() > kMaxFramePayload) {
    return base::fail(base::Code::kInvalid, "the arguments and the environment are too many or too large: " +
                                                std::to_string(kMaxStrings) + " of each, 4 MiB in all");
  }
  Message again;
  Reader reader(payload);
  if (get(reader, again) && reader.finished()) return {};
  return base::fail(
      base::Code::kInvalid,
      "a program needs a name, and no argument, variable or directory may be longer than 128 KiB (a "
      "directory: 4 KiB) or hold a NUL byte");
}

}  // namespace

base::Result<> check(const Start& start) { return check_start(start); }
base::Result<> check(const StartContext& start) { return check_start(start); }
base::Result<> check(const ExpectContext& context) { return check_start(context); }

}  // namespace wire::init
