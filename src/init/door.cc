#include "init/door.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "wire/zygote_messages.h"

namespace init {

void Door::add_polls(std::vector<pollfd>& polls) const {
  polls.push_back({closed_until_ ? -1 : listener_, POLLIN, 0});
  for (const sys::UniqueFd& socket : waiting_) polls.push_back({socket.get(), POLLIN, 0});
}

std::optional<Door::Clock::time_point> Door::keep_time() {
  if (closed_until_ && Clock::now() >= *closed_until_) closed_until_.reset();
  return closed_until_;
}

std::optional<sys::UniqueFd> Door::admit() {
  auto accepted = sys::accept_with_origin(listener_);
  if (!accepted) {
    // It has gone again, or there is no descriptor to be had: it may wait until there is.
    closed_until_ = Clock::now() + kAcceptAgain;
    return std::nullopt;
  }
  sys::UniqueFd socket = std::move(accepted->socket);
  if (accepted->origin == sys::Origin::kNameless) return socket;
  if (!sys::set_nonblocking(socket.get()) || !sys::ask_for_credentials(socket.get())) return std::nullopt;
  // A zygote that keeps connections to itself keeps nobody else out.
  if (waiting_.size() == kMostWaiting) waiting_.erase(waiting_.begin());
  waiting_.push_back(std::move(socket));
  return std::nullopt;
}

std::vector<Door::Caller> Door::callers() {
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
