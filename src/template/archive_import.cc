#include "template/archive_import.h"

#include <sys/stat.h>

#include <vector>

#include "sys/file.h"
#include "template/archive_handle.h"
#include "template/digest.h"
#include "template/layout.h"
#include "template/tree.h"
#include "template/unpack.h"

namespace templates {

namespace {

constexpr std::size_t kReadBlock = 1 << 18;

std::unexpected<base::Error> not_ours(std::string_view why) {
  return base::fail(base::Code::kInvalid, "not an exported template: " + std::string(why));
}

// A pipe could keep us waiting for ever, and has no size to hold against what is announced.
Result<sys::UniqueFd> open_file(const std::string& path) {
  ASSIGN_OR_RETURN(auto file, sys::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  ASSIGN_OR_RETURN(const auto status, sys::fstat(file.get()));
  if (!S_ISREG(status.st_mode)) return not_ours(printable(path) + " is no regular file");
  return file;
}

// Only what export writes is understood: tar under zstd. Every other parser of libarchive stays off.
Result<ArchiveReader> open_archive(int fd) {
  ArchiveReader reader(::archive_read_new());
  const bool ready = ::archive_read_support_filter_zstd(reader.get()) == ARCHIVE_OK &&
                     ::archive_read_support_format_tar(reader.get()) == ARCHIVE_OK &&
                     ::archive_read_open_fd(reader.get(), fd, kReadBlock) == ARCHIVE_OK;
  if (!ready) return archive_failure("open archive", reader.get());
  return reader;
}

// Null at the end of the archive. A warning is an error too: it means that something was guessed.
Result<archive_entry*> next_entry(archive* reader) {
  archive_entry* entry = nullptr;
  const int code = ::archive_read_next_header(reader, &entry);
  if (code == ARCHIVE_EOF) return nullptr;
  if (code != ARCHIVE_OK) return archive_failure("read archive", reader);
  return entry;
}

Result<Meta> read_meta(archive* reader) {
  ASSIGN_OR_RETURN(archive_entry* const entry, next_entry(reader));
  if (entry == nullptr) return not_ours("it is empty");
  const char* name = ::archive_entry_pathname(entry);
  const la_int64_t size = ::archive_entry_size(entry);
  if (name == nullptr || name != kArchiveMetaName || ::archive_entry_filetype(entry) != AE_IFREG) {
    return not_ours("its first member is not cove-template");
  }
  if (size <= 0 || size > static_cast<la_int64_t>(kMaxMetaBytes))
    return not_ours("its meta has no sane size");
  std::string text(static_cast<std::size_t>(size), '\0');
  if (::archive_read_data(reader, text.data(), text.size()) != size) {
    return archive_failure("read archive", reader);
  }
  if (!text.starts_with(kArchiveFormat)) return not_ours("unknown format version");
  ASSIGN_OR_RETURN(auto meta, parse_meta(std::string_view(text).substr(kArchiveFormat.size())));
  return meta;
}

// Before anything is unpacked; the unpacker sees to it that no more comes than was announced.
Result<> check_claims(const Meta& meta, int file) {
  if (meta.entries > kMaxEntries || meta.bytes > kMaxTreeBytes) {
    return base::fail(base::Code::kExhausted, "the archive announces more than 16 GiB or a million entries");
  }
  ASSIGN_OR_RETURN(const auto status, sys::fstat(file));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (meta.bytes <= kFreelyUnpackedBytes || meta.bytes / kMaxExpansion <= size) return {};
  return base::fail(base::Code::kExhausted, "the archive announces " + std::to_string(meta.bytes) +
                                                " bytes, more than 1 GiB and 200 times its own size");
}

// A small file, a link and a directory take a block each that no announced byte accounts for.
Result<> check_room(const Meta& meta, const std::string& path) {
  constexpr std::uint64_t kBlock = 4096;
  ASSIGN_OR_RETURN(const auto room, sys::free_space(path));
  const auto wanted = meta.bytes + meta.entries * kBlock;
  if (room.bytes < wanted) {
    return base::fail(base::Code::kExhausted, "the template needs " + std::to_string(wanted) +
                                                  " bytes, the disk has " + std::to_string(room.bytes));
  }
  // Zero: a file system that makes inodes as they are needed.
  if (room.inodes == 0 || room.inodes >= meta.entries) return {};
  return base::fail(base::Code::kExhausted, "the template has " + std::to_string(meta.entries) +
                                                " entries, the disk has inodes for " +
                                                std::to_string(room.inodes));
}

Result<> unpack_all(archive* reader, const Tree& tree, const Meta& meta, const Cancel& cancel) {
  Unpacker unpacker(reader, tree, meta);
  while (true) {
    RETURN_IF_ERROR(cancel.check());
    ASSIGN_OR_RETURN(archive_entry* const entry, next_entry(reader));
    if (entry == nullptr) return {};
    RETURN_IF_ERROR(unpacker.add(entry));
  }
}

Result<> check_tree(const Tree& tree, const Meta& announced) {
  RETURN_IF_ERROR(check_layout(tree));
  ASSIGN_OR_RETURN(const auto found, digest_tree(tree.root()));
  const auto digest = template_digest(found.digest, announced.user, announced.environment);
  if (digest == announced.digest && found.bytes == announced.bytes && found.entries == announced.entries) {
    return {};
  }
  return base::fail(base::Code::kInvalid, "the archive was changed or damaged: it holds template " + digest +
                                              " and announces " + announced.digest);
}

}  // namespace

Result<TemplateInfo> import_template(const Store& store, const ImportRequest& request, Progress& progress) {
  ASSIGN_OR_RETURN(const auto file, open_file(request.file));
  ASSIGN_OR_RETURN(const auto reader, open_archive(file.get()));
  ASSIGN_OR_RETURN(auto meta, read_meta(reader.get()));
  RETURN_IF_ERROR(check_claims(meta, file.get()));
  if (!request.name.empty()) meta.name = request.name;
  RETURN_IF_ERROR(store.check_name_free(meta.name, meta.digest, request.if_taken));
  ASSIGN_OR_RETURN(const auto staging, Staging::create(store.builds(), meta.name));
  RETURN_IF_ERROR(check_room(meta, staging.path()));
  RETURN_IF_ERROR(sys::mkdirat(AT_FDCWD, staging.root(), 0700));
  ASSIGN_OR_RETURN(const auto tree, Tree::open(staging.root()));

  progress.stage(1, 2, "unpack " + std::to_string(meta.entries) + " entries of template " + meta.name);
  RETURN_IF_ERROR(unpack_all(reader.get(), tree, meta, request.cancel));
  progress.stage(2, 2, "check the digest and store");
  RETURN_IF_ERROR(check_tree(tree, meta));
  // Whoever made the file could claim any recipe: the next build of that recipe must not be answered with it.
  meta.recipe.clear();
  RETURN_IF_ERROR(store.publish(staging, meta, OldMeta::kKeep));
  RETURN_IF_ERROR(store.set_name(meta.name, meta.digest, request.if_taken));
  return store.resolve(meta.digest);
}

}  // namespace templates
