#include "template/npm.h"

#include "template/command.h"

namespace templates {

std::vector<LockedFile> files_of(const NpmLock& lock) {
  std::vector<LockedFile> files;
  files.reserve(lock.packages.size());
  for (const auto& package : lock.packages) {
    files.push_back({.label = package.name + " " + package.version, .keys = {"sha512-" + package.sha512}});
  }
  return files;
}

Fetch npm_fetch(const NpmLock& lock, const Workplace& place) {
  return [&lock, &place](std::span<const std::size_t> which, const std::string& directory) -> Result<> {
    // Away from the working directory, whose own settings have no say.
    Command command{
        .argv = {"env", "-C", directory, "npm", "pack", "--ignore-scripts", "--no-update-notifier",
                 "--loglevel=error", "--cache=" + place.staging.path() + "/npm-cache"},
        .environment = fetch_environment(),
        .kept_fd = place.staging.lock()};
    for (const auto index : which)
      command.argv.push_back(lock.packages[index].name + "@" + lock.packages[index].version);
    auto done = run_command(command, place.progress, place.cancel);
    if (done || done.error().code == base::Code::kUnavailable) return done;
    return std::unexpected(base::with_context("npm of this host", done.error()));
  };
}

Result<> write_npm_inputs(const Tree& tree, const NpmLock& lock, const std::vector<std::string>& names) {
  const std::string directory(kNpmDirectory);
  std::vector<std::string> files;
  files.reserve(names.size());
  for (const auto& name : names) files.push_back("/" + directory + "/" + name);
  const auto inputs = npm_inputs(lock, files);
  RETURN_IF_ERROR(tree.write_file(directory + "/package-lock.json", {.content = inputs.lock}));
  return tree.write_file(directory + "/package.json", {.content = inputs.manifest});
}

std::string npm_install_command(const RecipeLock& lock) {
  const auto inputs = "/" + std::string(kNpmDirectory);
  const bool for_everybody = lock.path.empty();
  const auto home =
      for_everybody ? "/usr/local/lib/npm/" + lock.file.substr(0, lock.file.rfind('.')) : lock.path;
  const auto* const programs =
      for_everybody ? "for program in node_modules/.bin/*; do\n"
                      "  if [ -e \"$program\" ]; then ln -sf \"$PWD/$program\" /usr/local/bin/; fi\n"
                      "done\n"
                    : "";
  return "mkdir -p " + home + " && cd " + home +
         "\n"
         "cp " +
         inputs + "/package.json " + inputs +
         "/package-lock.json .\n"
         "npm ci --offline --ignore-scripts --no-audit --no-fund --no-update-notifier --cache=" +
         inputs +
         "/cache\n"
         // They name files that are gone in a moment.
         "rm -f package.json package-lock.json node_modules/.package-lock.json\n" +
         programs;
}

}  // namespace templates
