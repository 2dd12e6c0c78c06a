#include "engine/processes.h"

#include "engine/run_loop.h"

namespace engine {

using base::Code;

Result<std::uint32_t> Processes::start(const Command& command) {
  ASSIGN_OR_RETURN(const std::uint32_t stream, sandbox_.begin(command));
  while (true) {
    ASSIGN_OR_RETURN(const auto event, sandbox_.receive(stream));
    if (std::holds_alternative<wire::init::Started>(event)) return stream;
    if (const auto* failed = std::get_if<wire::init::Failed>(&event)) {
      return std::unexpected(error_of(*failed));
    }
  }
}

Result<std::map<std::uint32_t, wire::init::Found>> Processes::list() {
  const std::uint32_t stream = sandbox_.take_stream();
  RETURN_IF_ERROR(sandbox_.send(stream, wire::init::List{}));
  std::map<std::uint32_t, wire::init::Found> all;
  while (true) {
    ASSIGN_OR_RETURN(auto message, sandbox_.await_message());
    const bool is_answer = message.concerns(stream);
    if (is_answer && std::holds_alternative<wire::init::Done>(message.event)) return all;
    if (const auto* failed = std::get_if<wire::init::Failed>(&message.event);
        is_answer && failed != nullptr) {
      return std::unexpected(error_of(*failed));
    }
    if (auto* found = std::get_if<wire::init::Found>(&message.event)) {
      all[message.stream] = std::move(*found);
    }
    if (all.size() > wire::init::kMaxListed) {
      return base::fail(Code::kInvalid,
                        "sandbox " + sandbox_.id() + " lists more processes than it may have");
    }
  }
}

Result<wire::init::Found> Processes::attach_to(std::uint32_t stream) {
  RETURN_IF_ERROR(sandbox_.send(stream, wire::init::Attach{}));
  while (true) {
    // What comes before it comes again after it.
    ASSIGN_OR_RETURN(auto event, sandbox_.receive(stream));
    if (auto* found = std::get_if<wire::init::Found>(&event)) return std::move(*found);
    if (const auto* failed = std::get_if<wire::init::Failed>(&event)) {
      return std::unexpected(error_of(*failed));
    }
  }
}

Result<Outcome> Processes::attach(std::uint32_t stream, Offsets from, RunObserver& observer) {
  sandbox_.acknowledgements_.stop(stream);
  ASSIGN_OR_RETURN(const auto found, attach_to(stream));
  if (found.kind != wire::init::Kind::kRun) {
    return base::fail(Code::kInvalid, "stream " + std::to_string(stream) + " is a context, not a process");
  }
  sandbox_.acknowledgements_.listen(stream, found.acknowledged);
  RunLoop loop(sandbox_, stream, observer);
  loop.go_on(from, found);
  return loop.run();
}

Result<> Processes::signal(std::uint32_t stream, int number) {
  return sandbox_.send(stream, wire::init::Signal{.number = static_cast<std::uint32_t>(number)});
}

Result<> Processes::resize(std::uint32_t stream, wire::init::Window window) {
  return sandbox_.send(stream, wire::init::Resize{.window = window});
}

Result<> Processes::forget(std::uint32_t stream) {
  const auto end = sandbox_.acknowledgements_.end_of(stream);
  if (!end) {
    return base::fail(Code::kConflict, "the end of process " + std::to_string(stream) +
                                           " was not seen; attach to it before it is forgotten");
  }
  sandbox_.acknowledgements_.stop(stream);
  return sandbox_.send(stream, wire::init::Acknowledge{.number = *end});
}

}  // namespace engine
