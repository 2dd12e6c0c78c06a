#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/cause.h"
#include "engine/acknowledgements.h"
#include "engine/spawner_client.h"
#include "wire/init_messages.h"

namespace engine {

// Until when a sandbox lives when nobody destroys it.
enum class Lifetime { kWithConnection, kUntilDestroyed };

struct SandboxOptions {
  std::string root;  // template digest, or build name
  wire::spawner::RootKind root_kind = wire::spawner::RootKind::kTemplate;
  wire::spawner::Mode mode = wire::spawner::Mode::kUser;
  std::uint64_t memory_bytes = 512ULL << 20;
  std::uint64_t disk_bytes = 0;  // 0: as much as the spawner gives by itself
  std::uint32_t cpu_millis = 1000;
  std::uint32_t max_pids = 256;
  wire::spawner::Access workspace_access = wire::spawner::Access::kNone;
  std::string workspace;
  wire::spawner::Furniture furniture = wire::spawner::Furniture::kNone;  // if it was made ahead
  Lifetime lifetime = Lifetime::kWithConnection;
  std::uint32_t weaken = 0;  // for the tests' own spawner; every other refuses
};

struct SetupStep {
  std::string name;
  std::chrono::microseconds time{};
};

struct Command {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::string cwd = "/home/user";
  wire::init::User user = wire::init::User::kUser;
  wire::init::Stdin input = wire::init::Stdin::kClosed;
  std::chrono::milliseconds timeout{60'000};
  std::chrono::milliseconds grace{2'000};
  std::uint64_t output_cap = 10ULL << 20;
  std::optional<wire::init::Window> terminal = std::nullopt;  // then input is a stream
};

// What every process finds in its environment before the template and the caller add to it.
std::vector<std::string> base_environment(wire::init::User user, const SandboxOptions& options);

struct Outcome {
  base::Cause cause = base::Cause::kSandboxEnded;
  int exit_code = 0;
  int signal = 0;
  std::uint32_t limits_hit = 0;
  wire::init::Usage usage;
};

// The same outcome, with what the spawner knows about the end of a sandbox that ended before its program.
Outcome explained(Outcome outcome, wire::spawner::EndedAs ended_as);

// Whoever watches a run: takes its output as it comes, and may have input and interruptions for it.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // An error ends the watching, and with it the run: there is nobody left to run it for.
  virtual Result<> output(wire::init::Channel channel, std::string_view bytes) = 0;
  // Descriptors to wait on beside the sandbox; -1: none.
  virtual int input_fd() const { return -1; }
  virtual int interrupt_fd() const { return -1; }
  // The interrupt descriptor is readable: which signal to send, 0 for none.
  virtual int take_interrupt() { return 0; }
  // After a SIGWINCH: what the process's terminal is to become.
  virtual std::optional<wire::init::Window> window() const { return std::nullopt; }
};

base::Error error_of(const wire::init::Failed& failed);
Outcome outcome_of(const wire::init::Ended& ended);
// What init is asked for.
wire::init::Start start_request(const Command& command);

// A live sandbox and the connection to its init. Ends with this object, unless it is to live until destroyed.
class Sandbox {
 public:
  static Result<Sandbox> create(SpawnerClient& spawner, const SandboxOptions& options);
  // To one that lives: the connection before this one, if there is any, ends.
  static Result<Sandbox> connect(const std::string& id, const std::string& socket_path);

  const std::string& id() const { return id_; }
  const std::string& socket_path() const { return socket_path_; }
  const std::string& seccomp() const { return seccomp_; }
  std::uint64_t disk_bytes() const { return disk_bytes_; }
  const std::vector<SetupStep>& setup() const { return setup_; }

  Result<> put_file(const std::string& path, std::string bytes, std::uint32_t mode);
  Result<Outcome> run(const Command& command, RunObserver& observer);
  // With kGone, nothing of the sandbox is left when it returns. Tells why it had ended by itself before.
  Result<wire::spawner::EndedAs> destroy(SpawnerClient& spawner,
                                         wire::spawner::Until until = wire::spawner::Until::kGone);
  // The same of any. One that the spawner does not know is gone.
  static Result<wire::spawner::EndedAs> destroy(SpawnerClient& spawner, const std::string& id,
                                                wire::spawner::Until until);

 private:
  Sandbox() = default;
  std::uint32_t take_stream() { return ++stream_; }
  Result<> greet();
  // Sends the Start; the stream of it.
  Result<std::uint32_t> begin(const Command& command);
  Result<> send(std::uint32_t stream, const wire::init::Request& request);
  Result<> send_frame(std::string_view frame);
  // Takes in what is there. kUnavailable: the sandbox has ended.
  Result<> receive_some();
  // Why init has ended, when it said so.
  std::unexpected<base::Error> last_words(std::unexpected<base::Error> otherwise);
  struct Message {
    std::uint32_t stream = 0;
    wire::init::Event event;
    // What concerns every request is that init ends.
    bool concerns(std::uint32_t whom) const {
      const bool is_of_all = stream == wire::init::kConnection;
      return stream == whom || (is_of_all && std::holds_alternative<wire::init::Failed>(event));
    }
  };
  // The next whole message, none when more has to be received. Whoever asks for it is done with the one
  // before, which is acknowledged when it is time to.
  Result<std::optional<Message>> next();
  // The same without acknowledging.
  Result<std::optional<Message>> take_message();
  // Of a frame that is no file call's.
  Result<Message> message_of(const wire::Frame& frame);
  Result<Message> await_message();
  // Waits for the next one that concerns this stream, and be it that init ends.
  Result<wire::init::Event> receive(std::uint32_t stream);
  Result<> transmit(std::string_view bytes);
  void acknowledge(const Acknowledgements::Due& due);

  std::string id_;
  std::string socket_path_;
  std::string seccomp_;
  std::uint64_t disk_bytes_ = 0;
  std::vector<SetupStep> setup_;
  sys::UniqueFd socket_;
  std::optional<std::chrono::steady_clock::time_point> patience_;  // until when a message is waited for
  wire::FrameReader frames_;
  std::uint32_t stream_ = 0;
  Lifetime lifetime_ = Lifetime::kWithConnection;
  Acknowledgements acknowledgements_;
  friend class RunLoop;
  friend class Context;
  friend class FileCall;
  friend class Processes;
  friend class Streams;
};

}  // namespace engine
