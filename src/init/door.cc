#include "init/door.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "wire/zygote_messages.h"

namespace init {

void Door::add_polls(std::vector<pollfd>& polls) const {
  polls.push_back({waiting_.size() < kMostWaiting ? listener_ : -1, POLLIN, 0});
  for (const sys::UniqueFd& socket : waiting_) polls.push_back({socket.get(), POLLIN, 0});
}

void Door::accept_all() {
  while (waiting_.size() < kMostWaiting) {
    auto socket = sys::accept(listener_, SOCK_NONBLOCK);
    if (!socket) return;
    if (sys::ask_for_credentials(socket->get())) waiting_.push_back(*std::move(socket));
  }
}

std::vector<Door::Caller> Door::callers() {
  accept_all();
  std::vector<Caller> callers;
  std::vector<sys::UniqueFd> silent;
  for (sys::UniqueFd& socket : waiting_) {
    std::array<std::byte, sizeof(wire::zygote::Knock) + 1> buffer;
    const auto packet = sys::receive_packet(socket.get(), buffer);
    if (!packet && packet.error().sys_errno == EAGAIN) {
      silent.push_back(std::move(socket));
      continue;
    }
    wire::zygote::Knock knock;
    const bool sound = packet && wire::zygote::is_sound(std::span(buffer).first(packet->size), knock);
    // One of another pid namespace has no number here.
    if (!sound || !packet->sender || packet->sender->pid <= 1) continue;
    callers.push_back({.socket = std::move(socket), .pid = packet->sender->pid, .stream = knock.stream});
  }
  waiting_ = std::move(silent);
  return callers;
}

}  // namespace init
