#include "files/call.h"

#include <algorithm>

namespace files {

using base::Code;

Result<> Call::hear(const wire::Frame& frame) {
  // What was sent to the call before, and crossed its end, is for nobody.
  if (frame.stream != stream_) return {};
  ASSIGN_OR_RETURN(auto request, wire::file::decode_request(frame));
  if (std::holds_alternative<wire::file::Cancel>(request)) {
    return base::fail(Code::kConflict, "the call was cancelled");
  }
  if (const auto* credit = std::get_if<wire::file::Credit>(&request)) {
    under_way_ -= std::min<std::size_t>(under_way_, credit->bytes);
    return {};
  }
  auto* data = std::get_if<wire::file::Data>(&request);
  if (data == nullptr) return base::fail(Code::kConflict, "this stream has a call already");
  waiting_ += data->bytes.size();
  if (waiting_ > wire::file::kWindow) return base::fail(Code::kInvalid, "more data came than the window has");
  data_.push_back(std::move(data->bytes));
  return {};
}

Result<> Call::send(const wire::file::Event& event) {
  const std::string frame = wire::file::encode(stream_, event);
  RETURN_IF_ERROR(check());
  while (under_way_ != 0 && under_way_ + frame.size() > wire::file::kWindow) {
    ASSIGN_OR_RETURN(const auto heard, connection_.receive());
    RETURN_IF_ERROR(hear(heard));
  }
  under_way_ += frame.size();
  return connection_.send(frame);
}

Result<std::string> Call::next_data() {
  if (given_out_ != 0) {
    const wire::file::Taken taken{.bytes = static_cast<std::uint32_t>(std::exchange(given_out_, 0))};
    RETURN_IF_ERROR(connection_.send(wire::file::encode(stream_, taken)));
  }
  while (data_.empty()) {
    ASSIGN_OR_RETURN(const auto heard, connection_.receive());
    RETURN_IF_ERROR(hear(heard));
  }
  std::string piece = std::move(data_.front());
  data_.pop_front();
  waiting_ -= piece.size();
  given_out_ = piece.size();
  return piece;
}

Result<> Call::check() {
  while (true) {
    ASSIGN_OR_RETURN(const auto heard, connection_.receive_now());
    if (!heard) return {};
    RETURN_IF_ERROR(hear(*heard));
  }
}

}  // namespace files
