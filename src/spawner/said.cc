#include "spawner/said.h"

#include <array>
#include <cerrno>

namespace spawner {

Result<Heard> receive_said(int socket) {
  std::array<std::byte, sizeof(wire::zygote::Said) + 1> buffer;
  auto packet = sys::receive_packet(socket, buffer);
  if (!packet && packet.error().sys_errno == EAGAIN) return Heard{};
  if (!packet && packet.error().sys_errno != ECONNRESET) return std::unexpected(std::move(packet).error());
  if (!packet || packet->size == 0) return Heard{.news = News::kHungUp};
  wire::zygote::Said said;
  if (!wire::zygote::is_sound(std::span(buffer).first(packet->size), said) || !packet->fds.empty()) {
    return base::fail(base::Code::kInternal, "it speaks nonsense");
  }
  Heard heard{.news = News::kSaid,
              .word = said.word,
              .text = said.text,
              .sys_errno = said.sys_errno,
              .sender = packet->sender};
  for (char& c : heard.text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return heard;
}

}  // namespace spawner
