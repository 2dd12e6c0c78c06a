#include "spawner/request_check.h"

#include <fmt/format.h>

#include <cstdint>

namespace spawner {

using base::Code;
using base::Result;
using wire::spawner::Access;
using wire::spawner::Create;
using wire::spawner::Mode;
using wire::spawner::RootKind;

namespace {

constexpr std::uint64_t kMi = 1 << 20;

struct Range {
  const char* what;
  std::uint64_t value;
  std::uint64_t least;
  std::uint64_t most;
};

bool is_plain_name(std::string_view name) {
  if (name.empty() || name.front() == '.') return false;
  for (const char c : name) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-' || c == '_';
    if (!good) return false;
  }
  return true;
}

}  // namespace

Result<> check_limits(const Create& request) {
  const Range ranges[] = {
      {"memory", request.memory_bytes, 16 * kMi, 1024 * 1024 * kMi},
      {"disk", request.disk_bytes == 0 ? kMi : request.disk_bytes, kMi, 1024 * 1024 * kMi},
      {"cpus (thousandths)", request.cpu_millis, 10, 1'024'000},
      {"processes", request.max_pids, 4, 1 << 20},
  };
  for (const Range& range : ranges) {
    if (range.value >= range.least && range.value <= range.most) continue;
    return base::fail(Code::kInvalid, fmt::format("{} must be from {} to {}, not {}", range.what, range.least,
                                                  range.most, range.value));
  }
  if (request.mode == Mode::kRoot && request.workspace_access == Access::kReadWrite) {
    return base::fail(Code::kInvalid,
                      "a writable workspace and root mode do not go together; mount it read-only");
  }
  return {};
}

Result<> check_digest(const std::string& digest) {
  if (digest.size() == 64 && digest.find_first_not_of("0123456789abcdef") == std::string::npos) return {};
  return base::fail(Code::kInvalid, "a template digest is 64 hex digits");
}

Result<std::string> root_directory(const Create& request, const base::Paths& paths) {
  const std::string root(request.root.view());
  if (request.root_kind == RootKind::kTemplate) {
    RETURN_IF_ERROR(check_digest(root));
    return paths.templates + "/" + root + "/root";
  }
  if (!is_plain_name(root))
    return base::fail(Code::kInvalid, "'" + root + "' is not the name of a build directory");
  if (request.mode != Mode::kRoot) return base::fail(Code::kInvalid, "a build runs in root mode");
  return paths.builds + "/" + root + "/root";
}

FilterChoice filter_choice(const Create& request, const jail::Materials& materials) {
  if (request.mode == Mode::kRoot) return {materials.root_filter.get(), materials.root_filter_hash};
  if (request.workspace_access == Access::kReadWrite) {
    return {materials.user_no_setid_filter.get(), materials.user_no_setid_filter_hash};
  }
  return {materials.user_filter.get(), materials.user_filter_hash};
}

}  // namespace spawner
