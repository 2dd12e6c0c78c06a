#include "template/pip.h"

#include "template/command.h"

namespace templates {

namespace {

// Names of what lies in a directory and is to be installed there.
constexpr std::string_view kInstalledBefore =
    "import importlib.metadata, re, sys\n"
    "plain = lambda name: re.sub('[-_.]+', '-', name).lower()\n"
    "wanted = {plain(line.split('==')[0]) for line in open(sys.argv[2]) if '==' in line}\n"
    "for found in importlib.metadata.distributions(path=[sys.argv[1]]):\n"
    "    if plain(found.name) in wanted: print(found.name)\n";

std::string requirements_path() { return std::string(kPipDirectory) + "/requirements.txt"; }

// Of which files pip may choose. The hashes have chosen already: being generous here lets through no other
// file, and one that does not fit the tree is refused by the pip inside.
std::vector<std::string> target_options(const std::string& python) {
  std::string digits = python;
  std::erase(digits, '.');
  std::vector<std::string> options = {"--implementation=cp", "--python-version=" + python,
                                      "--abi=cp" + digits, "--platform=linux_x86_64"};
  constexpr int kNewestLibc = 50;  // manylinux_2_N: built for glibc 2.N
  for (int minor = kNewestLibc; minor >= 5; --minor) {
    options.push_back("--platform=manylinux_2_" + std::to_string(minor) + "_x86_64");
  }
  // Brings the older names along.
  options.emplace_back("--platform=manylinux2014_x86_64");
  return options;
}

std::vector<std::string> download_argv(const std::string& requirements, const std::string& directory,
                                       const std::string& python) {
  // Isolated: no module of the working directory takes part.
  std::vector<std::string> argv = {"python3",
                                   "-I",
                                   "-m",
                                   "pip",
                                   "download",
                                   "--no-deps",
                                   "--require-hashes",
                                   "--only-binary=:all:",
                                   "--no-cache-dir",
                                   "--progress-bar=off",
                                   "--disable-pip-version-check",
                                   "--no-input"};
  const auto target = target_options(python);
  argv.insert(argv.end(), target.begin(), target.end());
  argv.insert(argv.end(), {"--dest=" + directory, "--requirement=" + requirements});
  return argv;
}

}  // namespace

Result<std::string> python_version(const Tree& tree) {
  const auto target = [&]() -> Result<std::string> {
    ASSIGN_OR_RETURN(const auto place, tree.place_of("usr/bin/python3"));
    return sys::readlinkat(place.directory.get(), place.name);
  }();
  constexpr std::string_view kPrefix = "python";
  auto version = target && target->starts_with(kPrefix) ? target->substr(kPrefix.size()) : "";
  const bool plain = version.size() > 2 && version.size() <= 5 && version.starts_with("3.") &&
                     version.find_first_not_of("0123456789", 2) == std::string::npos;
  if (plain) return version;
  return base::fail(
      base::Code::kInvalid,
      "the recipe has a [pip] section, but the tree has no /usr/bin/python3 of Debian's: add the "
      "packages python3 and python3-pip");
}

std::vector<LockedFile> files_of(const std::vector<LockedPackage>& packages) {
  std::vector<LockedFile> files;
  for (const auto& package : packages) {
    LockedFile file{.label = package.name + " " + package.version, .keys = {}};
    for (const auto& hash : package.hashes) file.keys.push_back("sha256-" + hash);
    files.push_back(std::move(file));
  }
  return files;
}

Fetch pip_fetch(const std::vector<LockedPackage>& packages, const std::string& python,
                const Workplace& place) {
  return [&packages, python, &place](std::span<const std::size_t> which,
                                     const std::string& directory) -> Result<> {
    std::vector<LockedPackage> some;
    for (const auto index : which) some.push_back(packages[index]);
    const auto requirements = place.staging.path() + "/requirements.txt";
    (void)sys::unlinkat(AT_FDCWD, requirements);
    RETURN_IF_ERROR(sys::create_file_at(AT_FDCWD, requirements, format_requirements(some), 0600));
    const Command command{.argv = download_argv(requirements, directory, python),
                          .environment = fetch_environment(),
                          .kept_fd = place.staging.lock()};
    return run_command(command, place.progress, place.cancel);
  };
}

Result<> write_pip_inputs(const Tree& tree, const std::vector<LockedPackage>& packages) {
  return tree.write_file(requirements_path(), {.content = format_requirements(packages)});
}

std::string pip_install_command() {
  const auto directory = "/" + std::string(kPipDirectory);
  const auto requirements = "/" + requirements_path();
  const std::string common =
      " --break-system-packages --root-user-action=ignore --disable-pip-version-check --no-input";
  return "export PYTHONDONTWRITEBYTECODE=1\n"
         "site=$(python3 -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))')\n"
         // What an earlier layer installed is taken away first: files of two versions would mix. pip itself
         // would stumble over Debian's own packages, which it cannot remove and need not.
         "old=$(python3 -I - \"$site\" " +
         requirements + " <<'PYTHON'\n" + std::string(kInstalledBefore) +
         "PYTHON\n)\n"
         "if [ -n \"$old\" ]; then python3 -m pip uninstall --quiet --yes" +
         common +
         " $old; fi\n"
         "python3 -m pip install --no-index --no-deps --require-hashes --only-binary=:all: --no-compile"
         " --ignore-installed --no-cache-dir --progress-bar=off" +
         common + " --find-links=" + directory + " --requirement=" + requirements +
         "\n"
         // Compiled afterwards, with times and a hash seed that are the same in every build.
         "find \"$site\" -exec touch -h -d @1577836800 {} +\n"
         "echo compiling\n"
         "unset PYTHONDONTWRITEBYTECODE\n"
         // 1: some file is not meant for this Python, as a few packages have among their tests.
         "PYTHONHASHSEED=0 python3 -m compileall -q \"$site\" >/dev/null || test $? = 1\n";
}

}  // namespace templates
