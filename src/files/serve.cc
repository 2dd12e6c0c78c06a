#include "files/serve.h"

#include "files/attributes.h"
#include "files/call.h"
#include "files/change.h"
#include "files/entry.h"
#include "files/list.h"
#include "files/pack.h"
#include "files/read.h"
#include "files/remove.h"
#include "files/unpack.h"
#include "files/watch.h"
#include "files/write.h"
#include "wire/init_messages.h"

namespace files {

namespace {

using wire::file::Done;

Result<Done> stat(Call& call, const wire::file::Stat& request) {
  ASSIGN_OR_RETURN(const auto place, resolve_existing(request.path, request.links));
  ASSIGN_OR_RETURN(auto entry, entry_of(place));
  wire::file::Entries answer;
  answer.entries.push_back(std::move(entry));
  RETURN_IF_ERROR(call.send(answer));
  return Done{.entries = 1};
}

// One line per kind of call.
struct Perform {
  Call& call;

  Result<Done> operator()(const wire::file::Stat& m) const { return stat(call, m); }
  Result<Done> operator()(const wire::file::List& m) const { return list(call, m); }
  Result<Done> operator()(const wire::file::Read& m) const { return read(call, m); }
  Result<Done> operator()(const wire::file::Write& m) const { return write(call, m); }
  Result<Done> operator()(const wire::file::MakeDirectory& m) const { return make_directory(m); }
  Result<Done> operator()(const wire::file::Move& m) const { return move(m); }
  Result<Done> operator()(const wire::file::Remove& m) const { return remove(call, m); }
  Result<Done> operator()(const wire::file::SetMode& m) const { return set_mode(m); }
  Result<Done> operator()(const wire::file::MakeSymlink& m) const { return make_symlink(m); }
  Result<Done> operator()(const wire::file::GetAttributes& m) const { return get_attributes(call, m); }
  Result<Done> operator()(const wire::file::SetAttribute& m) const { return set_attribute(m); }
  Result<Done> operator()(const wire::file::RemoveAttribute& m) const { return remove_attribute(m); }
  Result<Done> operator()(const wire::file::Pack& m) const { return pack(call, m); }
  Result<Done> operator()(const wire::file::Unpack& m) const { return unpack(call, m); }
  Result<Done> operator()(const wire::file::Watch& m) const { return watch(call, m); }
  // What belongs to a call, without one.
  Result<Done> operator()(const wire::file::Data&) const { return nothing_to_do(); }
  Result<Done> operator()(const wire::file::Credit&) const { return nothing_to_do(); }
  Result<Done> operator()(const wire::file::Cancel&) const { return nothing_to_do(); }

 private:
  static Result<Done> nothing_to_do() {
    return base::fail(base::Code::kInvalid, "no file call is under way on this stream");
  }
};

std::string failure(std::uint32_t stream, const base::Error& error) {
  return wire::init::encode(stream, wire::init::Event(wire::init::Failed{
                                        .code = static_cast<std::uint32_t>(error.code),
                                        .sys_errno = error.sys_errno,
                                        .message = error.message.substr(0, wire::init::kMaxMessage)}));
}

Result<Done> perform(Call& call, const wire::Frame& frame) {
  ASSIGN_OR_RETURN(const auto request, wire::file::decode_request(frame));
  return std::visit(Perform{call}, request);
}

}  // namespace

Result<> serve(int socket) {
  Connection connection(socket);
  while (true) {
    auto frame = connection.receive();
    if (!frame && frame.error().code == base::Code::kUnavailable) return {};
    if (!frame) return std::unexpected(std::move(frame).error());
    // The tail of a call that has ended.
    if (!wire::file::is_opening(frame->type)) continue;
    Call call(connection, frame->stream);
    const auto done = perform(call, *frame);
    RETURN_IF_ERROR(connection.send(done ? wire::file::encode(frame->stream, wire::file::Event(*done))
                                         : failure(frame->stream, done.error())));
  }
}

}  // namespace files
