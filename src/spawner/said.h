#pragma once

#include <optional>
#include <string>

#include "sys/socket.h"
#include "wire/zygote_messages.h"

namespace spawner {

using base::Result;

enum class News { kNone, kHungUp, kSaid };

// What a zygote or a newcomer has said, checked for its form and nothing else.
struct Heard {
  News news = News::kNone;
  wire::zygote::Word word = {};
  std::string text;  // printable
  int sys_errno = 0;
  std::optional<sys::PeerCredentials> sender;
};

// Never waits. An error: what came is no message.
Result<Heard> receive_said(int socket);

}  // namespace spawner
