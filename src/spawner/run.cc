#include "spawner/run.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <memory>

#include "base/config.h"
#include "base/units.h"
#include "jail/seccomp_filter.h"
#include "spawner/materials.h"
#include "spawner/service.h"
#include "sys/private_mounts.h"
#include "sys/process.h"
#include "sys/root_file.h"
#include "sys/seccomp.h"
#include "sys/socket.h"

namespace spawner {

namespace {

using base::Code;
using base::Result;

Result<> make_directories(const base::Paths& paths) {
  for (const std::string& path :
       {paths.state, paths.templates, paths.builds, paths.disks, paths.run, paths.sandboxes}) {
    RETURN_IF_ERROR(sys::mkdir_if_missing(path, 0700));
  }
  return sys::mkdir_if_missing(paths.stage, 0755);
}

// Whoever can write the configuration decides which host directories a sandbox may see: root alone.
Result<base::Config> load_config(const Options& options) {
  const std::string path = options.config.empty() ? base::Config::kDefaultPath : options.config;
  auto text = sys::read_root_file(path);
  const bool is_absent = !text && text.error().code == Code::kNotFound && options.config.empty();
  if (!text && !is_absent) return std::unexpected(std::move(text).error());
  ASSIGN_OR_RETURN(auto settings, base::resolve_config({.file = is_absent ? "" : std::string_view(*text),
                                                        .file_name = path,
                                                        .environment = base::process_environment,
                                                        .flags = options.settings}));
  return std::move(settings.config);
}

constexpr gid_t kSameGroup = static_cast<gid_t>(-1);
constexpr std::chrono::seconds kPredecessor{15};
constexpr unsigned kLookMicroseconds = 5'000;

// A record lock, because it is this process's alone: one of flock's kind lives on in every child that has the
// descriptor, and so a half-made sandbox would keep the next spawner out.
Result<sys::UniqueFd> be_the_only_one(const base::Paths& paths) {
  ASSIGN_OR_RETURN(auto fd, sys::open(paths.spawner_lock, O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  const auto deadline = std::chrono::steady_clock::now() + kPredecessor;
  while (::fcntl(fd.get(), F_SETLK, &whole) != 0) {
    if (errno != EAGAIN && errno != EACCES) return base::failed_call("fcntl(" + paths.spawner_lock + ")");
    // One without a socket serves nobody any more: it is on its way out, and we take its place.
    const bool serves = sys::fstatat(AT_FDCWD, paths.spawner_socket).has_value();
    if (serves || std::chrono::steady_clock::now() >= deadline) {
      return base::fail(Code::kConflict, "another spawner already serves " + paths.state);
    }
    (void)::usleep(kLookMicroseconds);
  }
  return fd;
}

// To the hard limit, or beyond it where that is possible.
Result<> widen_limit(__rlimit_resource resource, rlim_t wanted) {
  rlimit limit{.rlim_cur = wanted, .rlim_max = wanted};
  if (wanted != 0 && ::setrlimit(resource, &limit) == 0) return {};
  if (::getrlimit(resource, &limit) != 0) return base::failed_call("getrlimit");
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(resource, &limit) != 0) return base::failed_call("setrlimit");
  return {};
}

// Each sandbox costs a few descriptors here. The others are what a nursery grants all of its sandboxes
// together: each has a bound of its own, and must find that much there whatever the others use.
Result<> widen_own_limits() {
  RETURN_IF_ERROR(widen_limit(RLIMIT_NOFILE, 0));
  for (const auto resource : {RLIMIT_SIGPENDING, RLIMIT_MSGQUEUE, RLIMIT_MEMLOCK, RLIMIT_NPROC}) {
    RETURN_IF_ERROR(widen_limit(resource, RLIM_INFINITY));
  }
  return {};
}

Result<Programs> find_programs(const std::string& chosen_init) {
  ASSIGN_OR_RETURN(const auto self, sys::readlinkat(AT_FDCWD, "/proc/self/exe"));
  const std::string here = self.substr(0, self.rfind('/'));
  return Programs{.init = chosen_init.empty() ? here + "/cove-init" : chosen_init,
                  .enter_library = here + "/cove-enter.so"};
}

Result<sys::UniqueFd> listen_alone(const base::Paths& paths, uid_t client) {
  // We hold the lock, so a socket file that is there belongs to nobody.
  auto stale = sys::unlinkat(AT_FDCWD, paths.spawner_socket);
  if (!stale && stale.error().code != Code::kNotFound) return std::unexpected(std::move(stale).error());
  ASSIGN_OR_RETURN(auto listener, sys::listen_unix(paths.spawner_socket, SOCK_SEQPACKET));
  if (client != 0) RETURN_IF_ERROR(sys::fchownat(AT_FDCWD, paths.spawner_socket, client, kSameGroup));
  return listener;
}

// Start-up is over: from here on this process, and all that it ever makes, has only the calls that build
// sandboxes.
Result<> confine_self() {
  ASSIGN_OR_RETURN(const auto filter, jail::build_filter(jail::SeccompProfile::kSpawner));
  return sys::install_seccomp_filter(filter);
}

Result<> serve(const Options& options, const base::Paths& paths, MakeControl make_control) {
  ASSIGN_OR_RETURN(const auto config, load_config(options));
  ASSIGN_OR_RETURN(const auto mounts, sys::find_cgroup_mounts());
  ASSIGN_OR_RETURN(const auto cgroups, sys::open_cgroup_tree(paths.cgroup, mounts));
  ASSIGN_OR_RETURN(const auto programs, find_programs(options.init_program));
  ASSIGN_OR_RETURN(const auto materials, make_materials(paths, programs));
  // Only now: from a chroot this changes what the paths in /proc/self say.
  RETURN_IF_ERROR(sys::enter_private_mounts());
  // The mounts that disks are made of live and die with our own mount namespace.
  ASSIGN_OR_RETURN(const auto disks, choose_disks(config.disk, paths));
  const auto control = make_control != nullptr ? make_control(materials) : nullptr;
  Sandboxes sandboxes({.paths = paths,
                       .materials = materials,
                       .cgroups = *cgroups,
                       .disks = *disks.disks,
                       .workspace_roots = config.workspace_roots,
                       .ready = {.most = config.ready, .memory_bytes = config.ready_memory},
                       .client = options.client,
                       .control = control.get()});
  RETURN_IF_ERROR(sandboxes.reconcile());
  ASSIGN_OR_RETURN(auto listener, listen_alone(paths, options.client));
  // A control spawner has to be able to make a sandbox without any filter.
  if (control == nullptr) RETURN_IF_ERROR(confine_self());
  Service service(
      std::move(listener), sandboxes,
      {.linger = options.linger, .allowed_users = {0, options.client}, .disk_refusals = disks.refusals});
  RETURN_IF_ERROR(service.run());
  // From here on a successor may start: it waits for our end.
  RETURN_IF_ERROR(sys::unlinkat(AT_FDCWD, paths.spawner_socket));
  RETURN_IF_ERROR(sandboxes.wind_down());
  // With sandboxes alive the group stays theirs; the next spawner finds it.
  if (sandboxes.alive() == 0) return cgroups->remove_parent();
  return {};
}

}  // namespace

namespace {
Result<uid_t> parse_user(std::string_view text) {
  uid_t uid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), uid);
  if (error == std::errc() && end == text.data() + text.size() && uid != static_cast<uid_t>(-1)) return uid;
  return base::fail(Code::kInvalid, fmt::format("--client wants the number of a user, not '{}'", text));
}
}  // namespace

Result<Options> parse_arguments(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view key = argv[i];
    if (i + 1 == argc) return base::fail(Code::kInvalid, fmt::format("{} needs a value", key));
    const std::string value = argv[++i];
    if (key == "--state") {
      options.state = value;
    } else if (key == "--config") {
      options.config = value;
    } else if (key == "--init") {
      options.init_program = value;
    } else if (key == "--set") {
      options.settings.push_back(value);
    } else if (key == "--client") {
      ASSIGN_OR_RETURN(options.client, parse_user(value));
    } else if (key == "--linger") {
      ASSIGN_OR_RETURN(const auto time, base::parse_duration(value));
      options.linger = std::chrono::duration_cast<std::chrono::seconds>(time);
    } else {
      return base::fail(Code::kInvalid, fmt::format("unknown option {}", key));
    }
  }
  if (!options.state.starts_with('/')) return base::fail(Code::kInvalid, "--state must be an absolute path");
  return options;
}

Result<> run(const Options& options, MakeControl make_control) {
  if (::geteuid() != 0) return base::fail(Code::kDenied, "the spawner must run as root");
  ::umask(077);
  const auto paths = base::Paths::of(options.state);
  RETURN_IF_ERROR(make_directories(paths));
  ASSIGN_OR_RETURN(const auto lock, be_the_only_one(paths));
  RETURN_IF_ERROR(sys::chdir("/"));
  RETURN_IF_ERROR(widen_own_limits());
  return serve(options, paths, make_control);
}

}  // namespace spawner
