#include "cli/build_steps.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "engine/sandbox.h"
#include "sys/affinity.h"
#include "template/delete_tree.h"

namespace cli {

namespace {

// Output of a step, line by line to the progress; the last lines are kept for an error.
class StepOutput final : public engine::RunObserver {
 public:
  StepOutput(templates::Progress& progress, templates::Cancel cancel)
      : progress_(progress), cancel_(cancel) {}

  int interrupt_fd() const override { return is_stopped_ ? -1 : cancel_.fd(); }
  // The descriptor stays readable, for whoever asks next whether to stop.
  int take_interrupt() override {
    is_stopped_ = true;
    return SIGKILL;
  }

  base::Result<> output(wire::init::Channel, std::string_view bytes) override {
    for (const char c : bytes) {
      if (c == '\n') {
        progress_.detail(line_);
        last_ = line_.empty() ? last_ : line_;
        line_.clear();
      } else if (static_cast<unsigned char>(c) >= 0x20 && line_.size() < 400) {
        line_ += c;
      }
    }
    return {};
  }
  const std::string& last() const { return line_.empty() ? last_ : line_; }

 private:
  templates::Progress& progress_;
  templates::Cancel cancel_;
  bool is_stopped_ = false;
  std::string line_;
  std::string last_;
};

}  // namespace

base::Result<> discard(engine::SpawnerClient& spawner, const templates::Store& store,
                       const std::string& digest) {
  wire::spawner::RetireTemplate request;
  request.digest.set(digest);
  ASSIGN_OR_RETURN(const auto reply, spawner.call(request));
  RETURN_IF_ERROR(store.remove_names(digest));
  return templates::delete_tree(store.builds() + "/" + std::string(reply.trash.view()));
}

base::Result<> SandboxedSteps::run(const std::string& root_dir, const std::string& command,
                                   templates::Progress& progress) {
  const std::string prefix = store_.builds() + "/";
  const std::string suffix = "/root";
  if (!root_dir.starts_with(prefix) || !root_dir.ends_with(suffix)) {
    return base::fail(base::Code::kInternal, root_dir + " is not a build directory");
  }
  ASSIGN_OR_RETURN(auto spawner, connect_spawner(globals_));
  ASSIGN_OR_RETURN(const auto cpus, sys::cpus_of(0));
  engine::SandboxOptions options{
      .root_kind = wire::spawner::RootKind::kBuild,
      .mode = wire::spawner::Mode::kRoot,
      .memory_bytes = 2ULL << 30,
      .cpu_millis = static_cast<std::uint32_t>(std::min<std::size_t>(cpus.size(), 2) * 1000),
      .max_pids = 1024};
  options.root = root_dir.substr(prefix.size(), root_dir.size() - prefix.size() - suffix.size());
  ASSIGN_OR_RETURN(auto sandbox, engine::Sandbox::create(spawner, options));
  StepOutput output(progress, cancel_);
  const engine::Command step{.argv = {"/bin/sh", "-ec", command},
                             .environment = engine::base_environment(wire::init::User::kRoot, options),
                             .cwd = "/",
                             .user = wire::init::User::kRoot,
                             .timeout = std::chrono::minutes(30)};
  auto outcome = sandbox.run(step, output);
  ASSIGN_OR_RETURN(const auto ended_as, sandbox.destroy(spawner));
  RETURN_IF_ERROR(cancel_.check());
  if (!outcome) return std::unexpected(std::move(outcome).error());
  *outcome = engine::explained(*outcome, ended_as);
  if (outcome->cause == base::Cause::kOk) return {};
  return base::fail(base::Code::kInternal,
                    fmt::format("step '{}' ended with {} (exit code {}): {}", command.substr(0, 80),
                                base::name_of(outcome->cause), outcome->exit_code, output.last()));
}

base::Result<> SandboxedSteps::preload(const std::string& digest) {
  ASSIGN_OR_RETURN(auto spawner, connect_spawner(globals_));
  wire::spawner::Warm request;
  request.digest.set(digest);
  auto warmed = spawner.call(request);
  if (warmed) return {};
  auto error = base::with_context("packages to import ahead", std::move(warmed).error());
  // The same files may have a name already, under which they are used.
  ASSIGN_OR_RETURN(const auto info, store_.resolve(digest));
  const auto discarded = info.names.empty() ? discard(spawner, store_, digest) : base::Result<>();
  if (!discarded) {
    error.message += fmt::format("; and {} could not be removed: {} (cove template rm {})",
                                 digest.substr(0, 12), discarded.error().message, digest.substr(0, 12));
  }
  return std::unexpected(std::move(error));
}

}  // namespace cli
