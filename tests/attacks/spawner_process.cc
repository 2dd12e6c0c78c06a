#include "tests/attacks/spawner_process.h"

#include <poll.h>
#include <unistd.h>

#include <cstdlib>

#include "sys/file.h"
#include "sys/mount.h"

namespace attacks {

namespace {

constexpr int kStartSeconds = 20;

// Binds the template that script/test keeps, read-only, into a new state directory.
Result<std::string> furnish_state(const std::string& state, const std::string& config) {
  const char* const given = std::getenv("COVE_TEST_STATE");
  const std::string kept = std::string(given != nullptr ? given : "/var/lib/cove-test") + "/templates";
  ASSIGN_OR_RETURN(std::string digest, sys::read_file(kept + "/names/base"));
  while (!digest.empty() && digest.back() == '\n') digest.pop_back();
  for (const std::string& path : {state, state + "/templates", state + "/templates/" + digest}) {
    RETURN_IF_ERROR(sys::mkdir_if_missing(path, 0755));
  }
  ASSIGN_OR_RETURN(const auto source, sys::open(kept + "/" + digest, O_PATH | O_DIRECTORY));
  ASSIGN_OR_RETURN(const auto here, sys::open(state + "/templates/" + digest, O_PATH | O_DIRECTORY));
  RETURN_IF_ERROR(sys::bind_fd(source.get(), here.get(), ".", MOUNT_ATTR_RDONLY));
  RETURN_IF_ERROR(sys::create_file_at(AT_FDCWD, state + "/cove.conf", config, 0600));
  return digest;
}

Result<engine::SpawnerClient> connect_patiently(const base::Paths& paths, const sys::Clone& process) {
  for (int tries = 0; tries < kStartSeconds * 100; ++tries) {
    if (auto client = engine::SpawnerClient::connect(paths)) return client;
    pollfd end{.fd = process.pidfd.get(), .events = POLLIN, .revents = 0};
    if (::poll(&end, 1, 10) != 0) break;
  }
  return base::fail(base::Code::kUnavailable, "the spawner of " + paths.state + " does not answer");
}

}  // namespace

Result<SpawnerProcess> SpawnerProcess::start(const std::string& program, const std::string& state,
                                             const std::string& config) {
  ASSIGN_OR_RETURN(auto digest, furnish_state(state, config));
  ASSIGN_OR_RETURN(auto process, sys::clone_process({}));
  if (process.is_child()) {
    const std::string file = state + "/cove.conf";
    ::execl(program.c_str(), program.c_str(), "--state", state.c_str(), "--config", file.c_str(),
            static_cast<char*>(nullptr));
    ::_exit(127);
  }
  auto paths = base::Paths::of(state);
  ASSIGN_OR_RETURN(auto client, connect_patiently(paths, process));
  return SpawnerProcess(std::move(paths), std::move(process), std::move(client), std::move(digest));
}

Result<> SpawnerProcess::stop() {
  RETURN_IF_ERROR(client_.call(wire::spawner::Stop{}));
  ASSIGN_OR_RETURN(const auto status, sys::wait_pidfd(process_.pidfd.get()));
  if (status.code == 0 && status.signal == 0) return {};
  return base::fail(base::Code::kInternal, "the spawner ended with code " + std::to_string(status.code));
}

}  // namespace attacks
