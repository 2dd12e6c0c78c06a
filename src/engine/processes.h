#pragma once

#include <map>

#include "engine/sandbox.h"

namespace engine {

// How much of a process's output somebody has already.
struct Offsets {
  std::uint64_t out = 0;
  std::uint64_t error = 0;
};

// The processes of a sandbox, for an engine that does not sit beside each from its start to its end, or has
// come back to a sandbox that another one made. A process is known by its stream.
class Processes {
 public:
  explicit Processes(Sandbox& sandbox) : sandbox_(sandbox) {}

  // Starts one and leaves it to itself.
  Result<std::uint32_t> start(const Command& command);
  // By stream; contexts included, and those whose end was not forgotten yet.
  Result<std::map<std::uint32_t, wire::init::Found>> list();
  // Watches a process to its end. Every byte after `from` comes once; what is gone for good is an error.
  Result<Outcome> attach(std::uint32_t stream, Offsets from, RunObserver& observer);
  Result<> signal(std::uint32_t stream, int number);
  Result<> resize(std::uint32_t stream, wire::init::Window window);
  // Lets go of one that attach() saw end. Until then its end is told to every engine that asks.
  Result<> forget(std::uint32_t stream);

 private:
  Result<wire::init::Found> attach_to(std::uint32_t stream);

  Sandbox& sandbox_;
};

}  // namespace engine
