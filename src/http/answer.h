#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/channel.h"
#include "http/head.h"
#include "http/response.h"
#include "io/task.h"

namespace http {

// What a request decides about its answer.
struct AnswerRules {
  bool is_head_only = false;  // HEAD
  int minor_version = 1;
  bool keeps_alive = true;
  bool is_preview = false;  // of a user's program: its headers are its own
  std::string request_id = {};
};

// The one answer of an exchange.
class Answer {
 public:
  Answer(Channel& channel, AnswerRules rules) : channel_(channel), rules_(std::move(rules)) {}

  io::Task<> whole(Response response);
  io::Task<> begin(Response head, std::optional<std::uint64_t> length);
  io::Task<> send(std::string_view bytes);
  io::Task<> finish();

  bool has_begun() const { return state_ != State::kNone; }
  bool is_whole() const { return state_ == State::kWhole; }
  unsigned status() const { return status_; }
  bool keeps_alive() const { return rules_.keeps_alive; }
  // Has to be said before it begins.
  void close_afterwards() { rules_.keeps_alive = false; }
  // 101 with these headers: what follows is no HTTP.
  io::Task<> switch_protocols(std::vector<Header> headers);
  // The connection was given to something else, which answers by itself.
  void handed_over() {
    state_ = State::kWhole;
    status_ = 101;
    rules_.keeps_alive = false;
  }
  const std::string& request_id() const { return rules_.request_id; }

 private:
  enum class State { kNone, kStreaming, kWhole };
  base::Result<std::string> head_text(const Response& response, std::optional<std::uint64_t> length) const;
  base::Result<> start(unsigned status);
  io::Task<> write(Buffers buffers);

  Channel& channel_;
  AnswerRules rules_;
  State state_ = State::kNone;
  unsigned status_ = 0;
  bool is_chunked_ = false;
  bool is_cut_ = false;  // a part is on its way, or was not sent whole: nothing may follow it
  std::optional<std::uint64_t> left_ = {};  // of a streamed body with a length
  bool is_bodyless_ = false;                // HEAD, 204, 304
};

}  // namespace http
