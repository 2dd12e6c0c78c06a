#pragma once

#include <memory>
#include <optional>
#include <string>

#include "http/channel.h"
#include "http/head.h"
#include "http/response.h"
#include "http/web_socket.h"
#include "io/loop.h"

namespace http {

// What is wrong with a request for a WebSocket.
std::optional<Problem> find_fault(const Head& head);

struct UpgradeFacts {
  std::string request_id;
  std::string subprotocol;  // empty: none is agreed on
};
// The head has no fault, and outlives the call. Nothing is buffered in the channel.
io::Task<std::shared_ptr<WebSocket>> open_web_socket(io::Loop& loop, std::shared_ptr<Channel> channel,
                                                     const Head& head, UpgradeFacts facts);

}  // namespace http
