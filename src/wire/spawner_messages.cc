#include "wire/spawner_messages.h"

#include <string>

#include "wire/init_messages.h"

namespace wire::spawner {

namespace {

base::Result<Header> decode_header(std::span<const std::byte> packet) {
  Header header;
  if (packet.size() < sizeof header) return base::fail(base::Code::kInvalid, "spawner packet is too short");
  std::memcpy(&header, packet.data(), sizeof header);
  if (header.magic != kMagic) return base::fail(base::Code::kInvalid, "not a spawner packet");
  if (header.version != kVersion) {
    return base::fail(base::Code::kInvalid, "spawner protocol version " + std::to_string(header.version) +
                                                ", expected " + std::to_string(kVersion) +
                                                "; restart the older side");
  }
  if (header.reserved != 0) return base::fail(base::Code::kInvalid, "reserved field of a packet is set");
  return header;
}

template <class Enum>
bool within(Enum value, Enum last) {
  return static_cast<std::uint32_t>(value) <= static_cast<std::uint32_t>(last);
}

bool sound(const Create& m) {
  return m.root.well_formed() && m.workspace.well_formed() && within(m.root_kind, RootKind::kBuild) &&
         within(m.mode, Mode::kRoot) && within(m.workspace_access, Access::kReadWrite) &&
         within(m.furniture, Furniture::kPythonContext) && m.reserved == 0;
}
bool sound(const Destroy& m) {
  return m.sandbox.well_formed() && within(m.until, Until::kKilled) && m.reserved == 0;
}
bool sound(const RetireTemplate& m) { return m.digest.well_formed(); }
bool sound(const Status&) { return true; }
bool sound(const Stop&) { return true; }
bool sound(const Warm& m) {
  return m.digest.well_formed() && within(m.language, Language::kPython) && m.reserved == 0;
}
bool sound(const EnterContext& m) {
  return m.sandbox.well_formed() && within(m.language, Language::kPython) && m.stream != 0 &&
         m.stream <= init::kLastStream && within(m.unready, Unready::kRefuse) && m.reserved == 0;
}

template <class Message>
base::Result<Request> decode_as(std::span<const std::byte> packet) {
  Message message;
  if (packet.size() != sizeof message) {
    return base::fail(base::Code::kInvalid, "spawner packet has the wrong size for its type");
  }
  std::memcpy(static_cast<void*>(&message), packet.data(), sizeof message);
  if (!sound(message)) return base::fail(base::Code::kInvalid, "spawner packet has a field out of range");
  return Request(message);
}

}  // namespace

base::Result<Request> decode_request(std::span<const std::byte> packet) {
  ASSIGN_OR_RETURN(const Header header, decode_header(packet));
  switch (header.type) {
    case Type::kCreate:
      return decode_as<Create>(packet);
    case Type::kDestroy:
      return decode_as<Destroy>(packet);
    case Type::kRetireTemplate:
      return decode_as<RetireTemplate>(packet);
    case Type::kStatus:
      return decode_as<Status>(packet);
    case Type::kStop:
      return decode_as<Stop>(packet);
    case Type::kWarm:
      return decode_as<Warm>(packet);
    case Type::kEnterContext:
      return decode_as<EnterContext>(packet);
  }
  return base::fail(base::Code::kInvalid, "unknown spawner request");
}

base::Result<Reply> decode_reply(std::span<const std::byte> packet) {
  RETURN_IF_ERROR(decode_header(packet));
  Reply reply;
  if (packet.size() != sizeof reply)
    return base::fail(base::Code::kInvalid, "spawner reply has the wrong size");
  std::memcpy(static_cast<void*>(&reply), packet.data(), sizeof reply);
  bool good = reply.message.well_formed() && reply.sandbox.well_formed() && reply.socket.well_formed() &&
              reply.seccomp.well_formed() && reply.trash.well_formed() && reply.disk_backend.well_formed() &&
              reply.step_count <= kMaxSteps && reply.ok <= 1 &&
              within(reply.ended_as, EndedAs::kOutOfMemory) && reply.reserved == 0 &&
              reply.code <= static_cast<std::uint32_t>(base::Code::kInternal);
  for (const StepTime& step : reply.steps) good = good && step.name.well_formed();
  if (!good) return base::fail(base::Code::kInvalid, "spawner reply has a field out of range");
  return reply;
}

}  // namespace wire::spawner
