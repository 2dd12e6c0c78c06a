#include "files/write.h"

#include <unistd.h>

#include <cerrno>

#include "files/change.h"
#include "files/draft.h"
#include "sys/retry.h"

namespace files {

namespace {

using wire::file::Done;
using wire::file::Existing;
using wire::file::How;
using wire::file::Write;

std::unexpected<base::Error> in_file(const std::string& path, const base::Error& error) {
  return std::unexpected(base::with_context(path, error));
}

Result<std::uint64_t> copy_data(Call& call, int file) {
  std::uint64_t total = 0;
  while (true) {
    ASSIGN_OR_RETURN(const auto piece, call.next_data());
    if (piece.empty()) return total;
    RETURN_IF_ERROR(sys::write_all(file, piece));
    total += piece.size();
  }
}

mode_t mode_for(const Write& request, const Place& place) {
  if (request.mode != Write::kOldMode) return request.mode;
  return place.status ? place.status->st_mode & 0777 : 0644;
}

Result<Done> write_whole(Call& call, const Write& request, const Place& place) {
  const auto existing = request.how == How::kCreate ? Existing::kRefuse : Existing::kReplace;
  if (place.status && existing == Existing::kRefuse) return base::failed_call("create", EEXIST);
  ASSIGN_OR_RETURN(auto draft, Draft::make(place.parent.get()));
  ASSIGN_OR_RETURN(const auto bytes, copy_data(call, draft.fd()));
  RETURN_IF_ERROR(sys::fchmod(draft.fd(), mode_for(request, place)));
  RETURN_IF_ERROR(draft.publish(place.name, existing));
  return Done{.entries = 1, .bytes = bytes};
}

Result<Done> write_in_place(Call& call, const Write& request, const Place& place) {
  const bool appends = request.how == How::kAppend;
  const int flags = O_WRONLY | (appends ? O_APPEND | O_CREAT : 0);
  ASSIGN_OR_RETURN(const auto file, open_regular(place, request.path, flags));
  ASSIGN_OR_RETURN(const bool made_up, is_made_up(file.get()));
  if (made_up) return base::fail(base::Code::kConflict, "this is no file on a disk; write it with a program");
  if (!place.status) RETURN_IF_ERROR(sys::fchmod(file.get(), mode_for(request, place)));
  if (!appends && ::lseek(file.get(), static_cast<off_t>(request.offset), SEEK_SET) < 0) {
    return base::failed_call("lseek");
  }
  ASSIGN_OR_RETURN(const auto bytes, copy_data(call, file.get()));
  if (::fsync(file.get()) != 0) return base::failed_call("fsync");
  return Done{.entries = 1, .bytes = bytes};
}

Result<> refuse_what_is_no_file(const Place& place, const std::string& path) {
  const mode_t mode = place.status ? place.status->st_mode : path.ends_with('/') ? S_IFDIR : S_IFREG;
  if (S_ISREG(mode)) return {};
  return base::fail(base::Code::kConflict,
                    "it is " + std::string(name_of_kind(mode)) + ", not a regular file");
}

}  // namespace

Result<Done> write(Call& call, const Write& request) {
  if (request.parents == wire::file::Parents::kMake) RETURN_IF_ERROR(make_parents_of(request.path));
  ASSIGN_OR_RETURN(const auto place, resolve(request.path, Links::kFollow));
  if (auto fine = refuse_what_is_no_file(place, request.path); !fine)
    return in_file(request.path, fine.error());
  const bool in_place = request.how == How::kPatch || request.how == How::kAppend;
  auto done = in_place ? write_in_place(call, request, place) : write_whole(call, request, place);
  if (!done) return in_file(request.path, done.error());
  return done;
}

}  // namespace files
