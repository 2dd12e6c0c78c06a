#include "files/unpack.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "files/archive_owner.h"
#include "files/change.h"
#include "files/draft.h"
#include "files/staging.h"
#include "files/zip_entries.h"
#include "sys/retry.h"

namespace files {

namespace {

using base::Code;
using wire::file::Done;
using wire::file::Format;

// The directory of a zip may have this many entries, or as many as may be unpacked, whichever is more.
constexpr std::uint64_t kFreelyListedEntries = 250'000;

// EFBIG tells it from a sandbox that has no room for the call, or on its disk.
std::unexpected<base::Error> too_large(std::string message) {
  return std::unexpected(base::Error{Code::kExhausted, std::move(message), EFBIG});
}

std::unexpected<base::Error> too_much(std::uint64_t most, std::string_view of_what) {
  return too_large("the archive has more than " + std::to_string(most) + " " + std::string(of_what));
}

std::unexpected<base::Error> refuse(const std::string& why) { return base::fail(Code::kInvalid, why); }

// What the caller sends, as libarchive reads it.
class Incoming {
 public:
  Incoming(Call& call, Format format) : call_(call), format_(format), reader_(::archive_read_new()) {}

  // A zip is understood from its end, so it is written to a file that nobody sees before it is read.
  Result<> open_zip(int directory, const wire::file::Unpack& request) {
    ASSIGN_OR_RETURN(auto spool, Draft::make(directory));
    spool_.emplace(std::move(spool));
    ZipEntries entries;
    const std::uint64_t most_entries = std::max(request.most_entries, kFreelyListedEntries);
    while (!ended_) {
      RETURN_IF_ERROR(fetch());
      entries.look_at(piece_);
      if (received_ > request.most_bytes) return too_much(request.most_bytes, "bytes");
      if (entries.at_most() > most_entries) return too_much(most_entries, "entries");
      RETURN_IF_ERROR(sys::write_all(spool_->fd(), piece_));
    }
    if (::lseek(spool_->fd(), 0, SEEK_SET) < 0) return base::failed_call("lseek");
    archive* const reader = reader_.get();
    const bool opened = ::archive_read_support_format_zip_seekable(reader) == ARCHIVE_OK &&
                        ::archive_read_open_fd(reader, spool_->fd(), wire::kMaxChunk) == ARCHIVE_OK;
    return opened ? Result<>() : failure();
  }

  Result<> open() {
    archive* const reader = reader_.get();
    // No other parser: each is one more way in.
    int code = ::archive_read_support_format_tar(reader);
    if (code == ARCHIVE_OK && format_ == Format::kTarGzip) code = ::archive_read_support_filter_gzip(reader);
    if (code == ARCHIVE_OK) code = ::archive_read_open(reader, this, nullptr, read_more, nullptr);
    return code == ARCHIVE_OK ? Result<>() : failure();
  }

  // Null at the end. A warning is an error too: it means that something was guessed.
  Result<archive_entry*> next() {
    archive_entry* member = nullptr;
    const int code = ::archive_read_next_header(reader_.get(), &member);
    if (code == ARCHIVE_EOF) return nullptr;
    if (code != ARCHIVE_OK) return failure();
    return member;
  }

  struct Block {
    std::string_view bytes;
    std::uint64_t offset = 0;
  };
  Result<std::optional<Block>> next_block() {
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int code = ::archive_read_data_block(reader_.get(), &bytes, &size, &offset);
    if (code == ARCHIVE_EOF) return std::optional<Block>();
    if (code != ARCHIVE_OK) return failure();
    return std::optional(Block{.bytes = {static_cast<const char*>(bytes), size},
                               .offset = static_cast<std::uint64_t>(offset)});
  }

  // What comes behind the end of the archive is taken and thrown away, so that the caller gets rid of it.
  Result<> drain() {
    while (!ended_) RETURN_IF_ERROR(fetch());
    return {};
  }
  std::uint64_t received() const { return received_; }

 private:
  Result<> fetch() {
    ASSIGN_OR_RETURN(piece_, call_.next_data());
    ended_ = piece_.empty();
    received_ += piece_.size();
    return {};
  }

  static la_ssize_t read_more(archive* reader, void* self, const void** bytes) {
    auto& me = *static_cast<Incoming*>(self);
    if (me.ended_) return 0;
    if (auto more = me.fetch(); !more) {
      me.broken_ = std::move(more).error();
      ::archive_set_error(reader, ECANCELED, "the caller sends no more");
      return -1;
    }
    *bytes = me.piece_.data();
    return static_cast<la_ssize_t>(me.piece_.size());
  }

  std::unexpected<base::Error> failure() {
    if (broken_) return std::unexpected(*broken_);
    return archive_failure(reader_.get());
  }

  Call& call_;
  const Format format_;
  std::string piece_;
  bool ended_ = false;
  std::uint64_t received_ = 0;
  std::optional<base::Error> broken_;
  std::optional<Draft> spool_;
  Archive reader_;
};

// Enough of a name to find the member by.
std::string shown(const char* name) {
  return name != nullptr ? "member " + std::string(name).substr(0, 200) : "a member";
}

class Unpacker {
 public:
  Unpacker(Incoming& incoming, const Staging& staging, const wire::file::Unpack& request)
      : incoming_(incoming), staging_(staging), request_(request) {}

  Result<Done> run() {
    while (true) {
      ASSIGN_OR_RETURN(archive_entry* const member, incoming_.next());
      if (member == nullptr) return done_;
      const char* const name = ::archive_entry_pathname(member);
      auto added = name != nullptr ? add(member, name) : refuse("it has no name");
      if (!added) return std::unexpected(base::with_context(shown(name), added.error()));
    }
  }

 private:
  Result<> add(archive_entry* member, const std::string& name) {
    ASSIGN_OR_RETURN(const auto parts, safe_parts(name));
    const auto type = ::archive_entry_filetype(member);
    if (parts.empty()) return type == AE_IFDIR ? Result<>() : refuse("it has no name");
    ++done_.entries;
    ASSIGN_OR_RETURN(const auto parent, staging_.parent_of(parts, done_.entries));
    if (done_.entries > request_.most_entries) {
      return too_much(request_.most_entries, "entries");
    }
    const char* const hardlink = ::archive_entry_hardlink(member);
    if (hardlink != nullptr) return add_hardlink(hardlink, parent.get(), parts.back());
    if (type == AE_IFDIR) return add_directory(member, parent.get(), parts.back());
    if (type == AE_IFLNK) return add_symlink(member, parent.get(), parts.back());
    if (type == AE_IFREG) return add_file(member, parent.get(), parts.back());
    return refuse("only files, directories and links are unpacked");
  }

  static Result<std::vector<std::string>> safe_parts(std::string_view name) {
    if (name.starts_with('/')) return refuse("its name is absolute");
    if (name.size() > wire::file::kMaxPath) return refuse("its name is longer than 4096 bytes");
    auto parts = parts_of(name);
    if (std::ranges::find(parts, "..") != parts.end()) return refuse("its name goes up");
    return parts;
  }

  // Whoever reads it must be able to, and the next member has to get in: the owner may always.
  Result<> add_directory(archive_entry* member, int parent, const std::string& name) {
    const auto made = sys::mkdirat(parent, name, 0700);
    const auto there = sys::fstatat(parent, name);
    if (!made && !(there && S_ISDIR(there->st_mode))) return twice(made.error());
    ASSIGN_OR_RETURN(const auto directory, sys::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    return sys::fchmod(directory.get(), (::archive_entry_perm(member) & 0777) | 0700);
  }

  Result<> add_symlink(archive_entry* member, int parent, const std::string& name) {
    const char* const target = ::archive_entry_symlink(member);
    if (target == nullptr || *target == '\0') return refuse("it is a link to nothing");
    if (auto made = sys::symlinkat(target, parent, name); !made) return twice(made.error());
    return {};
  }

  Result<> add_hardlink(const std::string& to, int parent, const std::string& name) {
    ASSIGN_OR_RETURN(const auto parts, safe_parts(to));
    std::uint64_t made = 0;
    if (parts.empty()) return refuse("it is a hard link to nothing");
    ASSIGN_OR_RETURN(const auto from, staging_.parent_of(parts, made));
    const auto there = sys::fstatat(from.get(), parts.back());
    if (!there || !S_ISREG(there->st_mode)) return refuse("it is a hard link to what is no file before it");
    if (::linkat(from.get(), parts.back().c_str(), parent, name.c_str(), 0) != 0) {
      return twice(base::failed_call("link").error());
    }
    return {};
  }

  static std::unexpected<base::Error> twice(const base::Error& error) {
    if (error.sys_errno == EEXIST) return refuse("it comes twice");
    return std::unexpected(error);
  }

  Result<> add_file(archive_entry* member, int parent, const std::string& name) {
    auto file = sys::openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (!file) return twice(file.error());
    const bool has_size = ::archive_entry_size_is_set(member) != 0;
    const auto size = static_cast<std::uint64_t>(std::max<la_int64_t>(0, ::archive_entry_size(member)));
    if (has_size) RETURN_IF_ERROR(check_bytes(size));
    ASSIGN_OR_RETURN(const auto end, write_blocks(file->get()));
    // A hole at the end is not in the blocks.
    const std::uint64_t whole = std::max(has_size ? size : 0, end);
    if (whole > end && ::ftruncate(file->get(), static_cast<off_t>(whole)) != 0)
      return base::failed_call("truncate");
    RETURN_IF_ERROR(check_bytes(whole));
    done_.bytes += whole;
    const timespec when{.tv_sec = ::archive_entry_mtime(member),
                        .tv_nsec = ::archive_entry_mtime_nsec(member)};
    const timespec both[2] = {when, when};
    if (::archive_entry_mtime_is_set(member) != 0) (void)::futimens(file->get(), both);
    return sys::fchmod(file->get(), ::archive_entry_perm(member) & 0777);
  }

  Result<std::uint64_t> write_blocks(int file) {
    std::uint64_t end = 0;
    while (true) {
      ASSIGN_OR_RETURN(const auto block, incoming_.next_block());
      if (!block) return end;
      std::string_view bytes = block->bytes;
      RETURN_IF_ERROR(check_bytes(block->offset));
      end = std::max(end, block->offset + bytes.size());
      RETURN_IF_ERROR(check_bytes(end));
      for (std::uint64_t at = block->offset; !bytes.empty();) {
        const ssize_t n =
            sys::retry([&] { return ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at)); });
        if (n < 0) return base::failed_call("write");
        at += static_cast<std::uint64_t>(n);
        bytes.remove_prefix(static_cast<std::size_t>(n));
      }
    }
  }

  // With a file of this many bytes.
  Result<> check_bytes(std::uint64_t bytes) const {
    const std::uint64_t most =
        std::min(request_.most_bytes, std::max(kFreelyUnpackedBytes, incoming_.received() * kMostExpansion));
    if (bytes <= most && done_.bytes <= most - bytes) return {};
    return too_large("the archive holds more than " + std::to_string(most) +
                     " bytes, which is all it may or 200 times its size");
  }

  Incoming& incoming_;
  const Staging& staging_;
  const wire::file::Unpack& request_;
  Done done_;
};

Result<Done> unpack_into(Call& call, const wire::file::Unpack& request, int directory) {
  ASSIGN_OR_RETURN(const auto staging, Staging::make(directory));
  Incoming incoming(call, request.format);
  const bool is_zip = request.format == Format::kZip;
  RETURN_IF_ERROR(is_zip ? incoming.open_zip(directory, request) : incoming.open());
  ASSIGN_OR_RETURN(const auto done, Unpacker(incoming, staging, request).run());
  RETURN_IF_ERROR(incoming.drain());
  RETURN_IF_ERROR(staging.join(request.existing));
  if (::syncfs(staging.top()) != 0) return base::failed_call("syncfs");
  return done;
}

}  // namespace

Result<Done> unpack(Call& call, const wire::file::Unpack& request) {
  expect_utf8_names();
  ASSIGN_OR_RETURN(const auto made,
                   make_directory({.path = request.path, .parents = wire::file::Parents::kMake}));
  ASSIGN_OR_RETURN(const auto place, resolve_existing(request.path, Links::kFollow));
  auto directory = sys::openat(place.parent.get(), place.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) return base::failed_call("open(" + request.path + ")", directory.error().sys_errno);
  auto done = unpack_into(call, request, directory->get());
  if (!done && made.entries != 0) (void)sys::unlinkat(place.parent.get(), place.name, AT_REMOVEDIR);
  return done;
}

}  // namespace files
