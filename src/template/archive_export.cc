#include "template/archive_export.h"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include "sys/file.h"
#include "sys/retry.h"
#include "template/archive_handle.h"
#include "template/tree.h"
#include "template/walk.h"

namespace templates {

namespace {

std::string member_path(const std::string& path) {
  return path.empty() ? std::string(kArchiveRoot) : std::string(kArchiveRoot) + "/" + path;
}

class Exporter {
 public:
  explicit Exporter(const Cancel& cancel)
      : cancel_(cancel), writer_(::archive_write_new()), entry_(::archive_entry_new()), buffer_(1 << 18) {}

  Result<> open(int fd);
  Result<> add_meta(const Meta& meta);
  Result<> add(const TreeEntry& entry);
  Result<> close();

 private:
  Result<> write_header();
  Result<> write_data(std::string_view bytes);
  Result<> copy_content(const TreeEntry& entry);

  const Cancel& cancel_;
  ArchiveWriter writer_;
  ArchiveEntry entry_;
  std::vector<char> buffer_;
};

Result<> Exporter::open(int fd) {
  archive* writer = writer_.get();
  // Names are bytes, whatever the locale of whoever runs this.
  const bool ready =
      ::archive_write_set_format_pax(writer) == ARCHIVE_OK &&
      ::archive_write_set_option(writer, "pax", "hdrcharset", "BINARY") == ARCHIVE_OK &&
      ::archive_write_add_filter_zstd(writer) == ARCHIVE_OK &&
      ::archive_write_set_filter_option(writer, "zstd", "compression-level", "6") == ARCHIVE_OK &&
      ::archive_write_open_fd(writer, fd) == ARCHIVE_OK;
  if (!ready) return archive_failure("open archive", writer);
  return {};
}

Result<> Exporter::write_header() {
  if (::archive_write_header(writer_.get(), entry_.get()) != ARCHIVE_OK) {
    return archive_failure("write archive", writer_.get());
  }
  return {};
}

Result<> Exporter::write_data(std::string_view bytes) {
  const la_ssize_t n = ::archive_write_data(writer_.get(), bytes.data(), bytes.size());
  if (n != static_cast<la_ssize_t>(bytes.size())) return archive_failure("write archive", writer_.get());
  return {};
}

Result<> Exporter::add_meta(const Meta& meta) {
  const auto text = std::string(kArchiveFormat) + format_meta(meta);
  ::archive_entry_set_pathname(entry_.get(), std::string(kArchiveMetaName).c_str());
  ::archive_entry_set_mode(entry_.get(), AE_IFREG | 0644);
  ::archive_entry_set_size(entry_.get(), static_cast<la_int64_t>(text.size()));
  RETURN_IF_ERROR(write_header());
  return write_data(text);
}

Result<> Exporter::add(const TreeEntry& entry) {
  RETURN_IF_ERROR(cancel_.check());
  const auto& status = entry.status;
  archive_entry* header = ::archive_entry_clear(entry_.get());
  ::archive_entry_set_pathname(header, member_path(entry.path).c_str());
  ::archive_entry_set_mode(header, status.st_mode);
  ::archive_entry_set_uid(header, status.st_uid);
  ::archive_entry_set_gid(header, status.st_gid);
  ::archive_entry_set_mtime(header, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  ::archive_entry_set_size(header, 0);
  if (S_ISLNK(status.st_mode)) ::archive_entry_set_symlink(header, entry.target.c_str());
  if (!entry.same_file.empty()) {
    ::archive_entry_set_hardlink(header, member_path(entry.same_file).c_str());
    return write_header();
  }
  if (!S_ISREG(status.st_mode)) return write_header();
  ::archive_entry_set_size(header, status.st_size);
  RETURN_IF_ERROR(write_header());
  return copy_content(entry);
}

Result<> Exporter::copy_content(const TreeEntry& entry) {
  ASSIGN_OR_RETURN(const auto fd,
                   sys::openat(entry.parent, entry.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  off_t left = entry.status.st_size;
  while (left > 0) {
    const ssize_t n = sys::retry([&] { return ::read(fd.get(), buffer_.data(), buffer_.size()); });
    if (n < 0) return base::failed_call("read(" + entry.path + ")");
    if (n == 0 || n > left) {
      return base::fail(base::Code::kConflict, "/" + entry.path + ": changed while it was read");
    }
    RETURN_IF_ERROR(write_data({buffer_.data(), static_cast<std::size_t>(n)}));
    left -= n;
  }
  return {};
}

Result<> Exporter::close() {
  if (::archive_write_close(writer_.get()) != ARCHIVE_OK)
    return archive_failure("write archive", writer_.get());
  return {};
}

std::string parent_of(const std::string& file) {
  const auto slash = file.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : file.substr(0, slash);
}

Result<> write_archive(const TemplateInfo& info, int fd, const Cancel& cancel) {
  ASSIGN_OR_RETURN(const auto tree, Tree::open(info.root));
  Exporter exporter(cancel);
  RETURN_IF_ERROR(exporter.open(fd));
  RETURN_IF_ERROR(exporter.add_meta(info.meta));
  RETURN_IF_ERROR(walk_tree(tree.root(), [&](const TreeEntry& entry) { return exporter.add(entry); }));
  return exporter.close();
}

}  // namespace

Result<> export_template(const TemplateInfo& info, const std::string& file, Progress& progress,
                         const Cancel& cancel) {
  if (!info.problem.empty()) return base::fail(base::Code::kInvalid, info.problem);
  // A file without a name until it is whole: an interrupted export leaves nothing.
  ASSIGN_OR_RETURN(const auto out, sys::open(parent_of(file), O_TMPFILE | O_WRONLY, 0600));
  progress.stage(1, 1, "write " + std::to_string(info.meta.entries) + " entries to " + printable(file));
  RETURN_IF_ERROR(write_archive(info, out.get(), cancel));
  if (::fsync(out.get()) != 0) return base::failed_call("fsync(" + file + ")");
  const auto unnamed = "/proc/self/fd/" + std::to_string(out.get());
  if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, file.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    return base::failed_call("link(" + file + ")");
  }
  return {};
}

}  // namespace templates
