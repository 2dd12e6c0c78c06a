#pragma once

#include <deque>
#include <string>

#include "files/connection.h"
#include "wire/file_messages.h"

namespace files {

// One call under way on its stream.
class Call {
 public:
  Call(Connection& connection, std::uint32_t stream) : connection_(connection), stream_(stream) {}

  int socket() const { return connection_.socket(); }
  // Waits until the window has room for it. An error: the call was cancelled, or the caller is gone.
  Result<> send(const wire::file::Event& event);
  // The next piece of what the caller sends, empty at its end. A piece that was given out counts as taken
  // when the next is asked for.
  Result<std::string> next_data();
  // For work that says nothing for long: an error when the call was cancelled.
  Result<> check();

 private:
  Result<> hear(const wire::Frame& frame);

  Connection& connection_;
  const std::uint32_t stream_;
  std::size_t under_way_ = 0;  // sent and not credited
  std::deque<std::string> data_;
  std::size_t waiting_ = 0;    // bytes in data_
  std::size_t given_out_ = 0;  // bytes of the last piece
};

}  // namespace files
