#include "template/store.h"

#include <algorithm>
#include <cerrno>

#include "sys/directory.h"
#include "sys/file.h"
#include "template/digest.h"
#include "template/durable.h"
#include "template/reference.h"
#include "template/tree.h"

namespace templates {

namespace {
constexpr std::size_t kShortestPrefix = 4;

// 0700 also when it was there with another mode.
Result<> make_private_directory(const std::string& path) {
  RETURN_IF_ERROR(sys::mkdir_if_missing(path, 0700));
  ASSIGN_OR_RETURN(const auto fd, sys::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return sys::fchmod(fd.get(), 0700);
}
}  // namespace

Store::Store(const std::string& state)
    : templates_(state + "/templates"),
      names_(templates_ + "/names"),
      builds_(state + "/builds"),
      downloads_(state + "/downloads") {}

Result<Store> Store::open(const std::string& state) {
  Store store(state);
  // The state directory itself may be shared with others' files: its mode is its maker's business.
  RETURN_IF_ERROR(sys::mkdir_if_missing(state, 0700));
  for (const auto& path : {store.templates_, store.names_, store.builds_}) {
    RETURN_IF_ERROR(make_private_directory(path));
  }
  // Leftovers that resist now are tried again next time; they are invisible and must not block the store.
  (void)sweep_builds(store.builds_);
  return store;
}

std::string Store::trash_path() const { return builds_ + "/trash." + random_suffix(); }

Result<std::vector<std::string>> Store::digests() const {
  ASSIGN_OR_RETURN(auto found, sys::subdirectories(templates_));
  std::erase_if(found, [](const std::string& name) { return !is_digest(name); });
  std::ranges::sort(found);
  return found;
}

Result<std::string> Store::digest_named(const std::string& name) const {
  ASSIGN_OR_RETURN(auto text, sys::read_file(names_ + "/" + name, 128));
  if (text.ends_with('\n')) text.pop_back();
  if (!is_digest(text)) return base::fail(base::Code::kInternal, "names/" + name + ": not a digest");
  return text;
}

Result<TemplateInfo> Store::describe(const std::string& digest) const {
  TemplateInfo info{.digest = digest, .root = directory_of(digest) + "/root"};
  ASSIGN_OR_RETURN(auto names, sys::entries(names_));
  std::ranges::sort(names);
  for (auto& name : names) {
    if (!check_template_name(name)) continue;
    const auto named = digest_named(name);
    if (named && *named == digest) info.names.push_back(std::move(name));
  }
  const auto text = sys::read_file(directory_of(digest) + "/meta", kMaxMetaBytes);
  auto meta = text ? parse_meta(*text) : std::unexpected(text.error());
  if (meta) {
    info.meta = std::move(*meta);
  } else {
    info.problem = meta.error().message;
  }
  return info;
}

Result<std::vector<TemplateInfo>> Store::list() const {
  std::vector<TemplateInfo> all;
  ASSIGN_OR_RETURN(const auto found, digests());
  for (const auto& digest : found) {
    ASSIGN_OR_RETURN(auto info, describe(digest));
    all.push_back(std::move(info));
  }
  std::ranges::sort(all, {}, [](const TemplateInfo& info) {
    return std::pair(info.names.empty() ? std::string("~") : info.names.front(), info.digest);
  });
  return all;
}

std::unexpected<base::Error> Store::no_such(std::string_view reference) const {
  constexpr std::size_t kMostTold = 20;
  auto names = sys::entries(names_).value_or(std::vector<std::string>());
  std::erase_if(names, [](const std::string& name) { return !check_template_name(name); });
  std::ranges::sort(names);
  std::string told;
  for (std::size_t i = 0; i < std::min(names.size(), kMostTold); ++i)
    told += (i == 0 ? "there are: " : ", ") + names[i];
  if (names.size() > kMostTold) told += ", …";
  return base::fail(base::Code::kNotFound, "no template " + printable(reference) + "; " +
                                               (told.empty() ? "none is built yet" : told));
}

Result<TemplateInfo> Store::resolve(std::string_view reference) const {
  const auto canonical = canonical_reference(reference);
  auto info = resolve_canonical(canonical);
  if (info || info.error().code != base::Code::kNotFound) return info;
  const auto home = home_of_language(canonical);
  return home.empty() ? info : resolve_canonical(home);
}

Result<TemplateInfo> Store::resolve_canonical(std::string_view reference) const {
  ASSIGN_OR_RETURN(const auto found, digests());
  if (check_template_name(reference)) {
    const auto named = digest_named(std::string(reference));
    if (named && std::ranges::find(found, *named) != found.end()) return describe(*named);
    if (named) return base::fail(base::Code::kNotFound, "template " + std::string(reference) + " is gone");
    if (named.error().sys_errno != ENOENT) return std::unexpected(named.error());
  }
  std::vector<std::string> matches;
  std::ranges::copy_if(found, std::back_inserter(matches),
                       [&](const std::string& digest) { return digest.starts_with(reference); });
  if (reference.size() < kShortestPrefix || matches.empty()) return no_such(reference);
  if (matches.size() > 1) {
    return base::fail(base::Code::kInvalid,
                      printable(reference) + ": " + std::to_string(matches.size()) + " templates begin so");
  }
  return describe(matches.front());
}

Result<> Store::verify(std::string_view digest) const {
  ASSIGN_OR_RETURN(const auto info, resolve(digest));
  if (!info.problem.empty()) return base::fail(base::Code::kConflict, info.problem);
  ASSIGN_OR_RETURN(const auto tree, Tree::open(info.root));
  ASSIGN_OR_RETURN(const auto found, digest_tree(tree.root()));
  const auto actual = template_digest(found.digest, info.meta.user, info.meta.environment);
  if (actual == info.digest) return {};
  return base::fail(base::Code::kConflict, "template " + info.digest + " has changed: it is now " + actual);
}

Result<> Store::check_name_free(const std::string& name, std::string_view digest, IfTaken if_taken) const {
  RETURN_IF_ERROR(check_template_name(name));
  const auto current = digest_named(name);
  // A name whose template is gone is free.
  const bool taken = current && *current != digest && sys::fstatat(AT_FDCWD, directory_of(*current));
  if (!taken || if_taken != IfTaken::kFail) return {};
  return base::fail(base::Code::kConflict, "the name " + name + " belongs to template " + *current);
}

Result<> Store::set_name(const std::string& name, std::string_view digest, IfTaken if_taken) const {
  RETURN_IF_ERROR(check_name_free(name, digest, if_taken));
  // A staging directory of its own, so that a kill leaves nothing among the names.
  ASSIGN_OR_RETURN(const auto staging, Staging::create(builds_, name));
  RETURN_IF_ERROR(write_new_file(staging.path() + "/name", std::string(digest) + "\n"));
  return rename_over(staging.path() + "/name", names_ + "/" + name);
}

Result<> Store::remove_name(const std::string& name) const {
  RETURN_IF_ERROR(check_template_name(name));
  RETURN_IF_ERROR(sys::unlinkat(AT_FDCWD, names_ + "/" + name));
  return sync_directory(names_);
}

Result<std::vector<std::string>> Store::remove_names(std::string_view digest) const {
  ASSIGN_OR_RETURN(const auto info, describe(std::string(digest)));
  for (const auto& name : info.names) RETURN_IF_ERROR(remove_name(name));
  return info.names;
}

Result<> Store::publish(const Staging& staging, const Meta& meta, OldMeta old_meta) const {
  const auto meta_file = staging.product() + "/meta";
  RETURN_IF_ERROR(write_new_file(meta_file, format_meta(meta)));
  RETURN_IF_ERROR(rename_new(staging.root(), staging.product() + "/root"));
  RETURN_IF_ERROR(sync_file_system(staging.product()));
  auto moved = rename_new(staging.product(), directory_of(meta.digest));
  if (moved || moved.error().sys_errno != EEXIST) return moved;
  if (old_meta == OldMeta::kKeep) return {};
  return rename_over(meta_file, directory_of(meta.digest) + "/meta");
}

}  // namespace templates
