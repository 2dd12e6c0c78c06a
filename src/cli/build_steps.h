#pragma once

#include "cli/command.h"
#include "engine/spawner_client.h"
#include "template/progress.h"
#include "template/store.h"

namespace cli {

// Removes a template and its names. The spawner alone knows who uses it, and moves it out of sight when
// nobody does.
base::Result<> discard(engine::SpawnerClient& spawner, const templates::Store& store,
                       const std::string& digest);

// Recipe steps in a root-mode sandbox whose root is the unfinished template itself: what a package's install
// script does, it does in there.
class SandboxedSteps final : public templates::StepRunner {
 public:
  SandboxedSteps(const Globals& globals, const templates::Store& store, templates::Cancel cancel)
      : globals_(globals), store_(store), cancel_(cancel) {}

  base::Result<> run(const std::string& root_dir, const std::string& command,
                     templates::Progress& progress) override;
  base::Result<> preload(const std::string& digest) override;

 private:
  const Globals& globals_;
  const templates::Store& store_;
  const templates::Cancel cancel_;
};

}  // namespace cli
