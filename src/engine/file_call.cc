#include "engine/file_call.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace engine {

using base::Code;
using wire::file::Done;

Result<Done> FileCall::run(const wire::file::Request& request) {
  RETURN_IF_ERROR(wire::file::check(request));
  const bool has_input = std::holds_alternative<wire::file::Write>(request) ||
                         std::holds_alternative<wire::file::Unpack>(request);
  if (has_input) input_ = Input::kOpen;
  RETURN_IF_ERROR(sandbox_.send_frame(wire::file::encode(stream_, request)));
  while (true) {
    if (auto put = put_in(); !put) return cancel(std::move(put).error());
    auto heard = next();
    if (!heard) return cancel(std::move(heard).error());
    const wire::Frame& frame = *heard;
    if (!wire::file::is_event(frame.type)) {
      ASSIGN_OR_RETURN(const auto event, wire::init::decode_event(frame));
      const auto* failed = std::get_if<wire::init::Failed>(&event);
      if (failed == nullptr) return base::fail(Code::kInternal, "unexpected answer to a file call");
      return std::unexpected(
          base::Error{static_cast<Code>(failed->code), failed->message, failed->sys_errno});
    }
    ASSIGN_OR_RETURN(const auto event, wire::file::decode_event(frame));
    auto done = handle(event);
    if (!done) return cancel(std::move(done).error());
    if (*done) return **done;
    if (std::holds_alternative<wire::file::Taken>(event)) continue;
    const auto size = static_cast<std::uint32_t>(wire::kFrameHeader + frame.payload.size());
    const wire::file::Credit credit{.bytes = std::min<std::uint32_t>(size, wire::file::kWindow)};
    RETURN_IF_ERROR(sandbox_.send_frame(wire::file::encode(stream_, wire::file::Request(credit))));
  }
}

// As much as the window takes. The sandbox may have its end to tell first: an answer that has come is heard
// before more is sent.
Result<> FileCall::put_in() {
  while (input_ == Input::kOpen && under_way_ + wire::kMaxChunk <= wire::file::kWindow) {
    ASSIGN_OR_RETURN(std::string piece, observer_.next_piece(wire::kMaxChunk));
    if (piece.size() > wire::kMaxChunk)
      return base::fail(Code::kInternal, "a piece is larger than asked for");
    if (piece.empty()) input_ = Input::kClosed;
    under_way_ += piece.size();
    const wire::file::Data data{.bytes = std::move(piece)};
    RETURN_IF_ERROR(sandbox_.send_frame(wire::file::encode(stream_, wire::file::Request(data))));
  }
  return {};
}

Result<wire::Frame> FileCall::next() {
  while (true) {
    ASSIGN_OR_RETURN(auto frame, sandbox_.frames_.next());
    if (!frame) {
      std::array<pollfd, 2> waiting{pollfd{sandbox_.socket_.get(), POLLIN, 0},
                                    pollfd{observer_.interrupt_fd(), POLLIN, 0}};
      if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return base::failed_call("poll");
      if (waiting[1].revents != 0) return base::fail(Code::kConflict, "the call was cancelled");
      if (waiting[0].revents != 0) RETURN_IF_ERROR(sandbox_.receive_some());
      continue;
    }
    if (frame->stream == stream_) return *std::move(frame);
    if (frame->stream != wire::init::kConnection) continue;
    // What concerns everybody is that init ends.
    const auto event = wire::init::decode_event(*frame);
    if (event && std::holds_alternative<wire::init::Failed>(*event)) return *std::move(frame);
  }
}

Result<std::optional<Done>> FileCall::handle(const wire::file::Event& event) {
  if (const auto* done = std::get_if<Done>(&event)) {
    if (input_ == Input::kOpen) return base::fail(Code::kInternal, "a file call ended before its data");
    return std::optional(*done);
  }
  if (const auto* taken = std::get_if<wire::file::Taken>(&event)) {
    under_way_ -= std::min<std::size_t>(under_way_, taken->bytes);
    return std::optional<Done>();
  }
  RETURN_IF_ERROR(tell(event));
  return std::optional<Done>();
}

Result<> FileCall::tell(const wire::file::Event& event) {
  if (const auto* opened = std::get_if<wire::file::Opened>(&event)) return observer_.opened(opened->entry);
  if (const auto* bytes = std::get_if<wire::file::Bytes>(&event)) return observer_.bytes(bytes->bytes);
  if (const auto* attribute = std::get_if<wire::file::Attribute>(&event))
    return observer_.attribute(*attribute);
  if (const auto* changed = std::get_if<wire::file::Changed>(&event)) return observer_.changed(*changed);
  if (const auto* entries = std::get_if<wire::file::Entries>(&event)) {
    for (const auto& entry : entries->entries) RETURN_IF_ERROR(observer_.entry(entry));
  }
  return {};
}

// What it still says goes unheard: its stream is not used again.
std::unexpected<base::Error> FileCall::cancel(base::Error why) {
  (void)sandbox_.send_frame(wire::file::encode(stream_, wire::file::Request(wire::file::Cancel{})));
  return std::unexpected(std::move(why));
}

}  // namespace engine
