#pragma once

#include <cstdint>
#include <string>

#include "http/channel.h"
#include "http/chunked.h"
#include "http/head.h"
#include "io/task.h"

namespace http {

// The body of one request, as it comes.
class BodyReader {
 public:
  BodyReader(Channel& channel, const Head& head);

  // Empty: its end.
  io::Task<std::string> next();
  bool is_done() const { return is_done_; }
  // Whether what is left of it is little enough to be read for the sake of the next request.
  bool is_drainable() const;
  io::Task<> drain();

 private:
  io::Task<> invite();
  io::Task<std::string> read_next();
  io::Task<std::string> next_of_length();
  io::Task<std::string> next_chunk();

  Channel& channel_;
  Pace pace_;
  ChunkedDecoder chunks_;
  bool is_chunked_;
  bool is_done_;
  bool is_broken_ = false;
  bool is_awaited_;  // the client waits to be told to go on
  std::uint64_t left_;
};

}  // namespace http
