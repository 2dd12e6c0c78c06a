#include "cli/receipt_files.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/text_of_bytes.h"
#include "template/rules.h"

namespace cli {

namespace {

using Kind = engine::FileChanges::Kind;

constexpr std::size_t kShown = 3;

std::string text_of(std::string_view bytes) {
  base::TextOfBytes text;
  std::string whole = text.take(bytes);
  return whole + text.rest();
}

boost::json::array names_of(const Kind& kind) {
  boost::json::array names;
  for (const std::string& path : kind.paths) names.emplace_back(text_of(path));
  return names;
}

std::string shown(const Kind& kind, std::string_view word, std::string_view prefix) {
  std::string names;
  for (std::size_t i = 0; i < std::min(kShown, kind.paths.size()); ++i) {
    std::string_view path = kind.paths[i];
    if (path.starts_with(prefix)) path.remove_prefix(prefix.size());
    names += (names.empty() ? "" : ", ") + templates::printable(path, 60);
  }
  if (kind.count > kShown) names += ", …";
  return fmt::format("{} {} ({})", kind.count, word, names);
}

}  // namespace

boost::json::object files_json(const engine::FileChanges& files) {
  boost::json::object told{{"created", names_of(files.created)},
                           {"changed", names_of(files.changed)},
                           {"removed", names_of(files.removed)},
                           {"counts",
                            {{"created", files.created.count},
                             {"changed", files.changed.count},
                             {"removed", files.removed.count}}},
                           {"truncated", files.is_cut},
                           {"unknown", files.unknown.has_value()}};
  if (files.unknown) told["why"] = text_of(*files.unknown);
  return told;
}

std::string files_text(const engine::FileChanges& files, const std::string& working_directory) {
  if (files.unknown) return "unknown: " + templates::printable(*files.unknown);
  std::string line;
  for (const auto& [kind, word] : {std::pair(&files.created, "created"), std::pair(&files.changed, "changed"),
                                   std::pair(&files.removed, "removed")}) {
    if (kind->count == 0) continue;
    line += (line.empty() ? "" : ", ") + shown(*kind, word, working_directory + "/");
  }
  if (line.empty()) line = "none created, changed or removed";
  return files.is_cut ? line + "; there may be more" : line;
}

}  // namespace cli
