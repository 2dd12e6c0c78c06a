#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/access.h"
#include "http/answer.h"
#include "http/body.h"
#include "http/channel.h"
#include "http/exchange.h"
#include "http/guard.h"
#include "http/head.h"
#include "io/bell.h"

namespace http {

// What all connections of a server share.
struct Service {
  io::Loop& loop;
  Handler handler;
  Names names;
  Limits limits;
  AccessLog log;
  io::Bell closing;  // rung when is_closing becomes true
  bool is_closing = false;
};

// One request, from its head to the end of its answer.
struct Request {
  Head head;
  Host host;
  BodyReader body;
  Answer answer;
};

// One client: reads a head, lets the handler answer, and goes on to the next. Owned by its task, which is
// run().
class Connection {
 public:
  Connection(std::unique_ptr<Stream> stream, std::string peer, Service& service);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  io::Task<> run();
  // Ends what takes too long.
  void sweep(Channel::TimePoint now) { channel_->sweep(now); }
  // The server closes: one that waits for a request ends now.
  void close_if_idle();

  // For the exchange.
  std::string_view peer() const { return peer_; }
  bool is_encrypted() const { return channel_->stream().is_encrypted(); }
  void before_answer(Request& request) const;
  io::Task<> until_gone();
  io::Task<std::shared_ptr<WebSocket>> upgrade(Request& request, std::string subprotocol);
  io::Task<Tunnel> tunnel(Request& request, std::vector<Header> headers);

 private:
  enum class After { kNextRequest, kLinger, kGone };
  using Clock = io::Clock;
  // Status 0: there is nobody to tell.
  boost::asio::awaitable<std::expected<Head, Problem>> next_head();
  std::optional<std::expected<Head, Problem>> take_head(std::size_t seen);
  boost::asio::awaitable<After> serve(Head head);
  boost::asio::awaitable<After> after(Request& request);
  io::Task<> answer_failure(Request& request, const base::Result<>& handled);
  io::Task<> refuse(Problem problem);
  io::Task<> check_upgrade(Request& request) const;
  AnswerRules rules_for(const Head& head, const Host& host) const;
  void log(const Head& head, const Answer& answer, std::string_view error) const;

  std::shared_ptr<Channel> channel_;
  std::string peer_;
  Service& service_;
  Clock::time_point began_ = {};  // the exchange under way
  std::uint64_t received_before_ = 0;
  std::uint64_t sent_before_ = 0;
  bool is_first_ = true;
  bool is_idle_ = false;
  bool is_upgraded_ = false;
};

}  // namespace http
