#include "engine/served_file_call.h"

#include <algorithm>

namespace engine {

using base::Code;

Result<std::shared_ptr<ServedFileCall>> ServedFileCall::begin(Streams& streams,
                                                              const wire::file::Request& request,
                                                              std::function<void()> on_news) {
  RETURN_IF_ERROR(wire::file::check(request));
  if (streams.end()) return std::unexpected(*streams.end());
  auto call = std::make_shared<ServedFileCall>(Key{}, streams, std::move(on_news));
  const bool has_input = std::holds_alternative<wire::file::Write>(request) ||
                         std::holds_alternative<wire::file::Unpack>(request);
  if (has_input) call->input_ = Input::kOpen;
  call->stream_ = streams.open(call);
  streams.send(call->stream_, request);
  return call;
}

std::optional<wire::file::Event> ServedFileCall::take() {
  if (waiting_.empty()) return std::nullopt;
  Waiting next = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= next.size;
  if (!end_) {
    const auto size = static_cast<std::uint32_t>(std::min(next.size, wire::file::kWindow));
    streams_.send(stream_, wire::file::Request(wire::file::Credit{.bytes = size}));
  }
  return std::move(next.event);
}

std::size_t ServedFileCall::room() const {
  if (end_ || input_ != Input::kOpen || under_way_ >= wire::file::kWindow) return 0;
  return std::min(wire::kMaxChunk, wire::file::kWindow - under_way_);
}

void ServedFileCall::give(std::string bytes) {
  if (bytes.empty() || bytes.size() > room()) return;
  under_way_ += bytes.size();
  streams_.send(stream_, wire::file::Request(wire::file::Data{.bytes = std::move(bytes)}));
}

void ServedFileCall::close_input() {
  if (end_ || input_ != Input::kOpen) return;
  input_ = Input::kClosed;
  streams_.send(stream_, wire::file::Request(wire::file::Data{}));
}

void ServedFileCall::cancel(base::Error why) {
  if (end_) return;
  streams_.send(stream_, wire::file::Request(wire::file::Cancel{}));
  streams_.close(stream_);
  finish(std::unexpected(std::move(why)));
}

void ServedFileCall::hear(const wire::init::Event& event) {
  const auto* failed = std::get_if<wire::init::Failed>(&event);
  if (failed != nullptr && !end_) finish(std::unexpected(error_of(*failed)));
}

void ServedFileCall::hear_file(wire::file::Event&& event, std::size_t size) {
  if (end_) return;
  if (const auto* done = std::get_if<Done>(&event)) {
    if (input_ != Input::kOpen) return finish(*done);
    return finish(base::fail(Code::kInternal, "a file call ended before its data"));
  }
  if (const auto* taken = std::get_if<wire::file::Taken>(&event)) {
    under_way_ -= std::min<std::size_t>(under_way_, taken->bytes);
    return on_news_();
  }
  // A window, and what began within it.
  if (waiting_bytes_ > wire::file::kWindow) {
    return cancel({Code::kInvalid, "a file call was sent more than it asked for"});
  }
  waiting_bytes_ += size;
  waiting_.push_back({.event = std::move(event), .size = size});
  on_news_();
}

void ServedFileCall::cut(const base::Error& why) {
  if (!end_) finish(std::unexpected(why));
}

void ServedFileCall::finish(Result<Done> end) {
  end_ = std::move(end);
  on_news_();
}

}  // namespace engine
