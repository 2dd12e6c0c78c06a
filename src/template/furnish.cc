#include "template/furnish.h"

#include <sys/xattr.h>

#include <cerrno>
#include <vector>

#include "template/names_in.h"
#include "template/walk.h"

namespace templates {

namespace {

// One of the colon-separated account files, with the line to add.
struct AccountLine {
  std::string_view path;
  mode_t mode;
  std::string line;
};

bool has_record(std::string_view text, std::string_view name) {
  const auto record = std::string(name) + ":";
  return text.starts_with(record) || text.contains("\n" + record);
}

Result<> add_account_line(const Tree& tree, const AccountLine& account, std::string_view name) {
  ASSIGN_OR_RETURN(const auto fd, tree.open_at(account.path, O_RDONLY | O_NONBLOCK));
  ASSIGN_OR_RETURN(const auto before, sys::fstat(fd.get()));
  ASSIGN_OR_RETURN(auto text, sys::read_all(fd.get()));
  if (has_record(text, name)) {
    return base::fail(base::Code::kConflict, "/" + std::string(account.path) + " has a " + std::string(name));
  }
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += account.line + "\n";
  // shadow keeps its group, which may read it.
  return tree.write_file(account.path, {.mode = account.mode, .owner = {0, before.st_gid}, .content = text});
}

std::string_view relative(std::string_view absolute) { return absolute.substr(1); }

Result<> copy_skeleton(const Tree& tree, std::string_view home, Owner owner) {
  const auto skeleton = tree.open_at("etc/skel", O_RDONLY | O_DIRECTORY);
  if (!skeleton && skeleton.error().sys_errno == ENOENT) return {};
  if (!skeleton) return std::unexpected(skeleton.error());
  ASSIGN_OR_RETURN(const auto names, names_in(skeleton->get()));
  for (const auto& name : names) {
    ASSIGN_OR_RETURN(const auto text, tree.read_file("etc/skel/" + name));
    RETURN_IF_ERROR(tree.write_file(std::string(home) + "/" + name, {.owner = owner, .content = text}));
  }
  return {};
}

Owner owner_of(std::string_view path, const RecipeUser& user) {
  if (lies_within(path, user.home)) return {user.uid, user.uid};
  return {};
}

Result<> strip_entry(const TreeEntry& entry) {
  // Through /proc, since no descriptor of a symbolic link takes attribute calls.
  const auto path = "/proc/self/fd/" + std::to_string(entry.parent) + "/" +
                    (entry.path.empty() ? std::string(".") : entry.name);
  const ssize_t size = ::llistxattr(path.c_str(), nullptr, 0);
  if (size < 0 && errno == ENOTSUP) return {};
  if (size < 0) return base::failed_call("llistxattr(" + entry.path + ")");
  std::vector<char> list(static_cast<std::size_t>(size));
  const ssize_t filled = size == 0 ? 0 : ::llistxattr(path.c_str(), list.data(), list.size());
  if (filled < 0) return base::failed_call("llistxattr(" + entry.path + ")");
  for (const char* name = list.data(); name < list.data() + filled;
       name += std::string_view(name).size() + 1) {
    // The label belongs to the host's SELinux policy and comes back by itself.
    if (std::string_view(name) == "security.selinux") continue;
    if (::lremovexattr(path.c_str(), name) != 0) return base::failed_call("lremovexattr(" + entry.path + ")");
  }
  return {};
}

}  // namespace

Result<> create_user(const Tree& tree, const RecipeUser& user) {
  const auto id = std::to_string(user.uid);
  const AccountLine accounts[] = {
      {"etc/passwd", 0644, user.name + ":x:" + id + ":" + id + "::" + user.home + ":/bin/bash"},
      {"etc/group", 0644, user.name + ":x:" + id + ":"},
      {"etc/shadow", 0640, user.name + ":!::0:99999:7:::"},
      {"etc/gshadow", 0640, user.name + ":!::"},
  };
  for (const auto& account : accounts) RETURN_IF_ERROR(add_account_line(tree, account, user.name));
  const auto home = relative(user.home);
  const Owner owner{user.uid, user.uid};
  RETURN_IF_ERROR(tree.make_parents(home, {}));
  RETURN_IF_ERROR(tree.make_directory(home, 0755, owner));
  return copy_skeleton(tree, home, owner);
}

Result<> place_files(const Tree& tree, const Recipe& recipe) {
  for (const auto& directory : recipe.directories) {
    const auto owner = owner_of(directory.path, recipe.user);
    RETURN_IF_ERROR(tree.make_parents(relative(directory.path), owner));
    RETURN_IF_ERROR(tree.make_directory(relative(directory.path), directory.mode, owner));
  }
  for (const auto& file : recipe.files) {
    const auto owner = owner_of(file.path, recipe.user);
    RETURN_IF_ERROR(tree.make_parents(relative(file.path), owner));
    RETURN_IF_ERROR(tree.write_file(relative(file.path), {file.mode, owner, file.content}));
  }
  return {};
}

Result<> strip_attributes(const Tree& tree) { return walk_tree(tree.root(), strip_entry); }

}  // namespace templates
