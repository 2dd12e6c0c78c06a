#include "template/bootstrap.h"

#include "sys/file.h"
#include "template/command.h"
#include "template/tree.h"

namespace templates {

namespace {

// In files and not on the command line: an address or a proxy may carry a password, and every user of the
// host can read command lines.
Result<> write_inputs(const Recipe& recipe, const Staging& staging, const Mirror& mirror) {
  const auto& path = staging.path();
  RETURN_IF_ERROR(sys::mkdirat(AT_FDCWD, path + "/tmp", 0700));
  RETURN_IF_ERROR(sys::create_file_at(AT_FDCWD, path + "/mirror.sources",
                                      format_sources(mirror.sources, Credentials::kKeep), 0600));
  // apt's own download user cannot enter the 0700 staging directory; archives are checked by signature.
  const auto options = mirror.apt_options +
                       "APT::Install-Recommends \"false\";\n"
                       "APT::Sandbox::User \"root\";\n"
                       "Acquire::Languages \"none\";\n";
  RETURN_IF_ERROR(sys::create_file_at(AT_FDCWD, path + "/apt.conf", options, 0600));
  std::string excludes;
  for (const auto& glob : recipe.exclude) excludes += "path-exclude=" + glob + "\n";
  return sys::create_file_at(AT_FDCWD, path + "/dpkg.cfg", excludes, 0600);
}

// What only the build needed, and what is different each time, so that equal builds have equal digests.
Result<> clean_up(const Tree& tree, const Mirror& mirror) {
  for (const auto* path :
       {"etc/apt/sources.list", "etc/apt/sources.list.d", "etc/apt/apt.conf.d/99mmdebstrap",
        "var/cache/ldconfig", "var/lib/dpkg/status-old", "var/lib/dpkg/diversions-old",
        "var/lib/dpkg/statoverride-old", "var/cache/debconf/config.dat-old",
        "var/cache/debconf/templates.dat-old", "etc/passwd-", "etc/group-", "etc/shadow-", "etc/gshadow-"}) {
    RETURN_IF_ERROR(tree.remove(path));
  }
  for (const auto* path : {"var/log", "var/cache/apt", "var/lib/apt/lists"})
    RETURN_IF_ERROR(tree.empty(path));
  RETURN_IF_ERROR(tree.make_directory("etc/apt/sources.list.d", 0755, {}));
  const auto sources = format_sources(mirror.sources, Credentials::kStrip);
  RETURN_IF_ERROR(tree.write_file("etc/apt/sources.list.d/debian.sources", {.content = sources}));
  return tree.write_file("etc/apt/apt.conf.d/90cove",
                         {.content = "APT::Install-Recommends \"false\";\nAcquire::Languages \"none\";\n"});
}

std::vector<std::string> bootstrap_argv(const Recipe& recipe, const Staging& staging) {
  const auto& path = staging.path();
  std::vector<std::string> argv = {"unshare",
                                   "--mount",
                                   "--pid",
                                   "--fork",
                                   "--kill-child",
                                   "--",
                                   "mmdebstrap",
                                   "--mode=root",
                                   "--format=directory",
                                   "--variant=minbase",
                                   "--aptopt=" + path + "/apt.conf"};
  if (!recipe.exclude.empty()) argv.push_back("--dpkgopt=" + path + "/dpkg.cfg");
  for (const auto& package : recipe.packages) argv.push_back("--include=" + package);
  argv.insert(argv.end(), {recipe.suite, staging.root(), path + "/mirror.sources"});
  return argv;
}

}  // namespace

Result<> bootstrap(const Recipe& recipe, const Staging& staging, Progress& progress, const Cancel& cancel) {
  ASSIGN_OR_RETURN(const auto mirror, host_mirror(recipe.suite));
  RETURN_IF_ERROR(write_inputs(recipe, staging, mirror));
  Command command{.argv = bootstrap_argv(recipe, staging),
                  .environment = command_environment(),
                  .kept_fd = staging.lock()};
  command.environment.push_back("TMPDIR=" + staging.path() + "/tmp");
  RETURN_IF_ERROR(run_command(command, progress, cancel));
  ASSIGN_OR_RETURN(const auto tree, Tree::open(staging.root()));
  return clean_up(tree, mirror);
}

}  // namespace templates
