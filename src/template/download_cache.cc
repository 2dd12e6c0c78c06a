#include "template/download_cache.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "sys/directory.h"
#include "sys/retry.h"

namespace templates {

namespace {

constexpr std::string_view kSha256 = "sha256-";
constexpr std::string_view kSha512 = "sha512-";

// How many characters of a file's name in the cache are its key; 0: it is no such file.
std::size_t key_size(std::string_view file) {
  const std::size_t hex = file.starts_with(kSha256) ? 64 : file.starts_with(kSha512) ? 128 : 0;
  const auto size = kSha256.size() + hex;
  const bool whole =
      hex != 0 && file.size() > size + 1 && file[size] == '-' && is_download_name(file.substr(size + 1));
  return whole ? size : 0;
}

const EVP_MD* kind_of(std::string_view key) { return key.starts_with(kSha512) ? EVP_sha512() : EVP_sha256(); }

std::string key_of(const EVP_MD* kind, Hash& hash) {
  return std::string(kind == EVP_sha512() ? kSha512 : kSha256) + hash.take_hex();
}

// Everything from one descriptor to the hash and, unless it is -1, to another descriptor.
Result<std::uint64_t> pump(int from, Hash& hash, int to) {
  std::vector<char> buffer(1 << 20);
  std::uint64_t size = 0;
  while (true) {
    const ssize_t n = sys::retry([&] { return ::read(from, buffer.data(), buffer.size()); });
    if (n < 0) return base::failed_call("read");
    if (n == 0) return size;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    hash.update(bytes);
    if (to >= 0) RETURN_IF_ERROR(sys::write_all(to, bytes));
    size += bytes.size();
  }
}

}  // namespace

bool is_download_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._+-").contains(c);
  };
  return !name.empty() && name.size() <= kMaxNameBytes && name[0] != '.' && name[0] != '-' &&
         std::ranges::all_of(name, allowed);
}

Result<DownloadCache> DownloadCache::open(const std::string& directory) {
  RETURN_IF_ERROR(sys::mkdir_if_missing(directory, 0700));
  DownloadCache cache(directory);
  ASSIGN_OR_RETURN(const auto files, sys::entries(directory));
  for (const auto& file : files) {
    const auto size = key_size(file);
    if (size != 0) cache.files_.emplace(file.substr(0, size), file.substr(size + 1));
  }
  return cache;
}

Result<DownloadCache::Key> DownloadCache::adopt(const std::string& file, const EVP_MD* kind) {
  const auto name = file.substr(file.rfind('/') + 1);
  if (!is_download_name(name)) return base::fail(base::Code::kInvalid, "file name " + printable(name));
  ASSIGN_OR_RETURN(const auto fd, sys::open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  Hash hash(kind);
  RETURN_IF_ERROR(pump(fd.get(), hash, -1));
  auto key = key_of(kind, hash);
  if (key.size() + 1 + name.size() > kMaxNameBytes) {
    return base::fail(base::Code::kInvalid, "file name " + name + ": too long for the download cache");
  }
  files_.insert_or_assign(key, name);
  RETURN_IF_ERROR(sys::renameat(AT_FDCWD, file, AT_FDCWD, path_of(key)));
  return key;
}

Result<std::optional<std::uint64_t>> DownloadCache::copy_out(const Key& key, const Tree& tree,
                                                             std::string_view path) {
  const auto from = sys::open(path_of(key), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!from && from.error().sys_errno != ENOENT) return std::unexpected(from.error());
  if (!from) {
    files_.erase(key);
    return std::nullopt;
  }
  RETURN_IF_ERROR(tree.write_file(path, {}));
  ASSIGN_OR_RETURN(const auto to, tree.open_at(path, O_WRONLY));
  Hash hash(kind_of(key));
  ASSIGN_OR_RETURN(const auto size, pump(from->get(), hash, to.get()));
  if (key_of(kind_of(key), hash) == key) return size;
  RETURN_IF_ERROR(tree.remove(path));
  forget(key);
  return std::nullopt;
}

void DownloadCache::forget(const Key& key) {
  // One that stays is found out again when it is taken next time.
  (void)sys::unlinkat(AT_FDCWD, path_of(key));
  files_.erase(key);
}

}  // namespace templates
