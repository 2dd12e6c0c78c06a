#include "wire/zygote_messages.h"

#include <cstring>

namespace wire::zygote {

namespace {

template <class Message>
bool copy(std::span<const std::byte> packet, Message& out) {
  if (packet.size() != sizeof out) return false;
  std::memcpy(static_cast<void*>(&out), packet.data(), sizeof out);
  return out.magic == kMagic;
}

}  // namespace

bool is_sound(std::span<const std::byte> packet, Said& out) {
  if (!copy(packet, out)) return false;
  return out.word >= Word::kReady && out.word <= kLastWord &&
         ::strnlen(out.text, sizeof out.text) < sizeof out.text;
}

bool is_sound(std::span<const std::byte> packet, Knock& out) { return copy(packet, out) && out.stream != 0; }

}  // namespace wire::zygote
