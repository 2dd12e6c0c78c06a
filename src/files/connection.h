// files: what a file call does, in a process that has become the sandbox's user inside the sandbox. Whatever
// the file system lets that user do may happen, and nothing else: there is no privilege here to be misled.
//
//   connection  frames to and from whoever asks
//   call        one call under way: its window, its data, its cancellation
//   place       a path, resolved link by link; magic links of /proc are refused
//   tree_walk   a directory tree, however deep, with two descriptors
//   serve       one request after another; the rest is a file per kind of call
#pragma once

#include <optional>
#include <string_view>

#include "sys/file.h"
#include "wire/frame.h"

namespace files {

using base::Result;

// A stream socket that blocks. kUnavailable: the other side is gone.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}

  int socket() const { return socket_; }
  Result<> send(std::string_view bytes);
  Result<wire::Frame> receive();
  // Only what has come already.
  Result<std::optional<wire::Frame>> receive_now();

 private:
  // False: nothing was there.
  Result<bool> fill(int flags);

  const int socket_;
  wire::FrameReader frames_;
};

}  // namespace files
