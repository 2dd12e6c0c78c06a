#include "files/pack.h"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include "files/archive_owner.h"
#include "files/place.h"
#include "files/tree_walk.h"
#include "sys/retry.h"

namespace files {

namespace {

using base::Code;
using wire::file::Format;

class Packer : public Visitor {
 public:
  Packer(Call& call, const wire::file::Pack& request)
      : call_(call),
        request_(request),
        writer_(::archive_write_new()),
        member_(::archive_entry_new()),
        buffer_(1 << 16) {}

  Result<> open() {
    archive* const writer = writer_.get();
    int code = request_.format == Format::kZip ? ::archive_write_set_format_zip(writer)
                                               : ::archive_write_set_format_pax_restricted(writer);
    if (code == ARCHIVE_OK && request_.format == Format::kTarGzip)
      code = ::archive_write_add_filter_gzip(writer);
    // No padding behind the end.
    if (code == ARCHIVE_OK) code = ::archive_write_set_bytes_in_last_block(writer, 1);
    if (code == ARCHIVE_OK) code = ::archive_write_open(writer, this, nullptr, write_out, nullptr);
    return code == ARCHIVE_OK ? Result<>() : failure();
  }

  Result<Next> enter(const Met& met) override {
    RETURN_IF_ERROR(call_.check());
    const mode_t mode = met.status.st_mode;
    if (!S_ISDIR(mode) && !S_ISREG(mode) && !S_ISLNK(mode)) {
      ++done_.skipped;
      return Next::kGoOn;
    }
    if (++done_.entries > request_.most_entries) return too_much("entries", request_.most_entries);
    if (S_ISREG(mode)) {
      RETURN_IF_ERROR(add_file(met));
    } else {
      if (S_ISLNK(mode)) {
        ASSIGN_OR_RETURN(target_, sys::readlinkat(met.parent, met.name));
      }
      RETURN_IF_ERROR(add_header(met, met.status));
    }
    return Next::kGoIn;
  }

  Result<wire::file::Done> finish() {
    if (::archive_write_close(writer_.get()) != ARCHIVE_OK) return failure();
    return done_;
  }

 private:
  static la_ssize_t write_out(archive* writer, void* self, const void* bytes, std::size_t size) {
    return static_cast<Packer*>(self)->send(writer, {static_cast<const char*>(bytes), size});
  }

  la_ssize_t send(archive* writer, std::string_view bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += wire::kMaxChunk) {
      auto sent = call_.send(wire::file::Bytes{.bytes = std::string(bytes.substr(at, wire::kMaxChunk))});
      if (sent) continue;
      broken_ = std::move(sent).error();
      ::archive_set_error(writer, ECANCELED, "the caller does not take it");
      return -1;
    }
    return static_cast<la_ssize_t>(bytes.size());
  }

  std::unexpected<base::Error> failure() {
    if (broken_) return std::unexpected(*broken_);
    return archive_failure(writer_.get());
  }

  static std::unexpected<base::Error> too_much(const std::string& what, std::uint64_t most) {
    return base::fail(Code::kExhausted,
                      "there are more than " + std::to_string(most) + " " + what + " to pack");
  }

  Result<> add_header(const Met& met, const struct stat& status) {
    archive_entry* const member = ::archive_entry_clear(member_.get());
    ::archive_entry_set_pathname(member, met.path.c_str());
    ::archive_entry_set_mode(member, status.st_mode);
    ::archive_entry_set_uid(member, status.st_uid);
    ::archive_entry_set_gid(member, status.st_gid);
    ::archive_entry_set_mtime(member, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    ::archive_entry_set_size(member, S_ISREG(status.st_mode) ? status.st_size : 0);
    if (S_ISLNK(status.st_mode)) ::archive_entry_set_symlink(member, target_.c_str());
    // A name that is not UTF-8 goes as it is, with a warning.
    return ::archive_write_header(writer_.get(), member) >= ARCHIVE_WARN ? Result<>() : failure();
  }

  Result<> add_file(const Met& met) {
    auto file = sys::openat(met.parent, met.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (!file) return base::failed_call("open(" + met.path + ")", file.error().sys_errno);
    ASSIGN_OR_RETURN(const auto status, sys::fstat(file->get()));
    if (!S_ISREG(status.st_mode)) return changed(met);
    RETURN_IF_ERROR(add_header(met, status));
    for (off_t left = status.st_size; left > 0;) {
      const auto wanted = std::min<std::size_t>(buffer_.size(), static_cast<std::size_t>(left));
      const ssize_t n = sys::retry([&] { return ::read(file->get(), buffer_.data(), wanted); });
      if (n < 0) return base::failed_call("read(" + met.path + ")");
      if (n == 0) return changed(met);
      left -= n;
      done_.bytes += static_cast<std::uint64_t>(n);
      if (done_.bytes > request_.most_bytes) return too_much("bytes", request_.most_bytes);
      if (::archive_write_data(writer_.get(), buffer_.data(), static_cast<std::size_t>(n)) != n)
        return failure();
    }
    return {};
  }

  static Result<> changed(const Met& met) {
    return base::fail(Code::kConflict, met.path + " changed while it was packed; pack again");
  }

  Call& call_;
  const wire::file::Pack& request_;
  std::optional<base::Error> broken_;  // why the caller got no more; the writer uses it to its very end
  Archive writer_;
  Member member_;
  std::vector<char> buffer_;
  std::string target_;
  wire::file::Done done_;
};

}  // namespace

Result<wire::file::Done> pack(Call& call, const wire::file::Pack& request) {
  expect_utf8_names();
  ASSIGN_OR_RETURN(const auto place, resolve_existing(request.path, Links::kFollow));
  auto top = sys::openat(place.parent.get(), place.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!top) return base::failed_call("open(" + request.path + ")", top.error().sys_errno);
  Packer packer(call, request);
  RETURN_IF_ERROR(packer.open());
  RETURN_IF_ERROR(walk_tree(top->get(), packer));
  return packer.finish();
}

}  // namespace files
