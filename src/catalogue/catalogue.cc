#include "catalogue/catalogue.h"

#include <fmt/format.h>

#include <algorithm>

#include "sys/file.h"
#include "template/reference.h"
#include "template/rules.h"

namespace catalogue {

namespace {

constexpr std::size_t kShortestPrefix = 4;

const Template* named(const Catalogue& catalogue, std::string_view name) {
  for (const Template& each : catalogue.templates) {
    if (std::ranges::find(each.names, name) != each.names.end()) return &each;
  }
  return nullptr;
}

std::unexpected<base::Error> no_such(const Catalogue& catalogue, std::string_view reference) {
  constexpr std::size_t kMostTold = 20;
  std::vector<std::string_view> names;
  for (const Template& each : catalogue.templates)
    names.insert(names.end(), each.names.begin(), each.names.end());
  std::ranges::sort(names);
  std::string told;
  for (std::size_t i = 0; i < std::min(names.size(), kMostTold); ++i)
    told += fmt::format("{}{}", i == 0 ? "there are: " : ", ", names[i]);
  if (names.size() > kMostTold) told += ", …";
  return base::fail(base::Code::kNotFound, fmt::format("no template {}; {}", templates::printable(reference),
                                                       told.empty() ? "none is built yet" : told));
}

Result<const Template*> by_digest(const Catalogue& catalogue, std::string_view reference) {
  std::vector<const Template*> matches;
  for (const Template& each : catalogue.templates) {
    if (each.digest.starts_with(reference)) matches.push_back(&each);
  }
  if (reference.size() < kShortestPrefix || matches.empty()) return no_such(catalogue, reference);
  if (matches.size() == 1) return matches.front();
  return base::fail(base::Code::kInvalid, fmt::format("{}: {} templates begin so",
                                                      templates::printable(reference), matches.size()));
}

}  // namespace

Result<const Template*> Catalogue::resolve(std::string_view reference) const {
  const auto canonical = templates::canonical_reference(reference);
  if (const Template* found = named(*this, canonical)) return found;
  auto found = by_digest(*this, canonical);
  if (found || found.error().code != base::Code::kNotFound) return found;
  const Template* home = named(*this, templates::home_of_language(canonical));
  if (home != nullptr) return home;
  return found;
}

std::string name_of(const Runtime& runtime) {
  const bool is_node = runtime.language == "javascript" || runtime.language == "typescript";
  const std::string name = is_node ? "node" : runtime.language;
  return runtime.version.empty() ? name : name + " " + runtime.version;
}

Result<const Template*> Catalogue::with_runtime(std::string_view runtime) const {
  auto called_so = resolve(runtime);
  if (called_so) return called_so;
  const auto has_it = [&](const Template& one) {
    return !one.names.empty() && std::ranges::any_of(one.runtimes, [&](const Runtime& each) {
      return templates::canonical_reference(name_of(each)) == templates::canonical_reference(runtime);
    });
  };
  const auto found = std::ranges::find_if(templates, has_it);
  return found != templates.end() ? Result<const Template*>(&*found) : called_so;
}

std::string path_of(const std::string& state) { return state + "/catalogue/templates.json"; }

Result<Catalogue> read(const std::string& state) {
  const auto fd = sys::open(path_of(state), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd && fd.error().code == base::Code::kNotFound) return Catalogue{};
  if (!fd) return std::unexpected(fd.error());
  ASSIGN_OR_RETURN(const auto text, sys::read_all(fd->get(), kMaxBytes));
  auto catalogue = parse(text);
  if (!catalogue) return std::unexpected(base::with_context(path_of(state), std::move(catalogue).error()));
  return catalogue;
}

Stamp stamp_of(const std::string& state) {
  const auto status = sys::fstatat(AT_FDCWD, path_of(state));
  if (!status) return {};
  return {.inode = status->st_ino, .seconds = status->st_mtim.tv_sec, .nanoseconds = status->st_mtim.tv_nsec};
}

}  // namespace catalogue
