// Group C, rows C10 and C11: templates that replaced what a sandbox is set up on by links, files, pipes and
// devices.
#include <gmock/gmock.h>

#include <cstdlib>
#include <map>

#include "sys/directory.h"
#include "tests/attacks/helpers.h"
#include "tests/attacks/verdicts.h"

namespace attacks {

namespace {

using wire::spawner::RootKind;

// What the links point at: a file and a directory beside it, in the scratch directory.
class Target {
 public:
  explicit Target(const std::string& name) : path_(Lab::current().scratch() + "/" + name) {
    restore_file();
    EXPECT_TRUE(sys::mkdirat(AT_FDCWD, path_ + ".d", 0777));
    EXPECT_TRUE(sys::create_file_at(AT_FDCWD, path_ + ".d/null", kText, 0666));
  }
  const std::string& path() const { return path_; }
  void restore_file() const {
    (void)sys::unlinkat(AT_FDCWD, path_);
    EXPECT_TRUE(sys::create_file_at(AT_FDCWD, path_, kText, 0666));
  }
  bool file_unchanged() const { return holds_text(path_); }
  bool directory_unchanged() const {
    const auto names = sys::entries(path_ + ".d");
    return names && names->size() == 1 && holds_text(path_ + ".d/null");
  }

 private:
  static constexpr const char* kText = "nobody writes here\n";
  static bool holds_text(const std::string& path) { return sys::read_file(path).value_or("") == kText; }
  std::string path_;
};

// Name to digest, for the trees of hostile_templates.sh, placed where the spawner finds templates, and builds
// under the same name.
using Templates = std::map<std::string, std::string>;

Templates place_templates(SpawnerProcess& spawner, const Target& target) {
  const std::string out = target.path() + ".trees";
  const std::string script = std::string(ATTACK_SOURCES) + "/hostile_templates.sh";
  const std::string make_trees = "/bin/sh '" + script + "' '" + out + "' '" +
                                 built_program("judge_own_root") + "' '" + target.path() + "' > /dev/null";
  EXPECT_EQ(std::system(make_trees.c_str()), 0);
  Templates templates;
  const auto trees = sys::subdirectories(out);
  for (const std::string& name : trees.value_or(std::vector<std::string>())) {
    const std::string digest = base::random_hex(32);
    const std::string place = spawner.paths().templates + "/" + digest;
    EXPECT_TRUE(sys::mkdirat(AT_FDCWD, place, 0755));
    EXPECT_TRUE(sys::renameat(AT_FDCWD, out + "/" + name, AT_FDCWD, place + "/root"));
    EXPECT_TRUE(sys::symlinkat(place, AT_FDCWD, spawner.paths().builds + "/" + digest));
    templates[name] = digest;
  }
  return templates;
}

enum class Part { kDev, kTheRest };

Templates part_of(Templates templates, Part part) {
  std::erase_if(templates, [part](const auto& entry) {
    return entry.first.starts_with("dev_") != (part == Part::kDev);
  });
  return templates;
}

// The image's own /tmp is the image's own affair: a sandbox mounts nothing there.
bool has_own_tmp(const std::string& name) { return !name.starts_with("tmp_") && name != "all_are_links"; }

void expect_everything_ours(const std::string& name, Subject& subject) {
  const auto report = subject.run_command({"/bin/judge_own_root"}, {.cwd = "/"});
  EXPECT_EQ(report.error, "") << name;
  EXPECT_FALSE(report.probes.empty()) << name << "\n" << report.text();
  for (const Verdict& probe : report.probes) {
    if (probe.name == "tmp" && !has_own_tmp(name)) continue;
    EXPECT_FALSE(probe.worked) << name << ": " << probe.name << " is " << probe.detail;
  }
}

// Either a clear refusal that names the sandbox and the step, or a sandbox in which everything is its own.
void expect_harmless(const std::string& name, const engine::SandboxOptions& options, const Target& target) {
  Subject subject(Lab::current().product(), options);
  if (subject.refusal().empty()) {
    expect_everything_ours(name, subject);
  } else {
    EXPECT_THAT(subject.refusal(), testing::MatchesRegex("sandbox [a-z0-9]+: [a-z ]+: .+")) << name;
  }
  EXPECT_TRUE(target.file_unchanged()) << name;
  EXPECT_TRUE(target.directory_unchanged()) << name;
}

// As templates, and as builds, whose tree itself is the root and has been in the hands of the code that built
// it.
void expect_all_harmless(const Templates& templates, const Target& target) {
  for (const auto& [name, digest] : templates) {
    expect_harmless(name, {.root = digest}, target);
    expect_harmless(name + " as a build",
                    {.root = digest, .root_kind = RootKind::kBuild, .mode = Mode::kRoot}, target);
  }
}

// A set-up that follows the template's links writes to the target. Whether a sandbox comes of it does not
// matter.
void start_carelessly(const std::string& name, const Templates& templates) {
  ASSERT_TRUE(templates.contains(name));
  const Subject subject(Lab::current().control(),
                        {.root = templates.at(name), .weaken = bits({Weakness::kLinksFollowed})});
}

}  // namespace

TEST(Files, HostileDevIsHarmless) {
  const Target careless("c10.control");
  start_carelessly("dev_is_link", place_templates(Lab::current().control(), careless));
  EXPECT_FALSE(careless.directory_unchanged()) << "the trick has to work where links are followed";

  const Target target("c10");
  const auto templates = part_of(place_templates(Lab::current().product(), target), Part::kDev);
  EXPECT_EQ(templates.size(), 15U);
  expect_all_harmless(templates, target);
}

TEST(Files, HostileRootIsHarmless) {
  const Target careless("c11.control");
  const auto careless_templates = place_templates(Lab::current().control(), careless);
  for (const char* name : {"hosts_is_link", "resolv_conf_is_link", "proc_is_a_counterfeit"}) {
    careless.restore_file();
    start_carelessly(name, careless_templates);
    EXPECT_FALSE(careless.file_unchanged()) << name << ": the trick has to work where links are followed";
  }
  const Target target("c11");
  const auto templates = part_of(place_templates(Lab::current().product(), target), Part::kTheRest);
  EXPECT_EQ(templates.size(), 23U);
  expect_all_harmless(templates, target);
}

}  // namespace attacks
