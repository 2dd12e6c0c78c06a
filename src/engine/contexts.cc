#include "engine/contexts.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"

namespace engine {

using base::Code;

Contexts::~Contexts() {
  for (const auto& context : contexts_) context->leave();
}

Result<> Contexts::check_end() const {
  if (streams_.end()) return std::unexpected(*streams_.end());
  return {};
}

Result<std::shared_ptr<ServedContext>> Contexts::served(const ContextId& id) const {
  const auto found = std::ranges::find(contexts_, id, [](const auto& one) { return one->id(); });
  if (found != contexts_.end()) return *found;
  return base::fail(Code::kNotFound, "sandbox " + streams_.sandbox() + " has no context " + id.text() +
                                         "; list those that there are, or create one");
}

Result<ContextId> Contexts::create(std::string name, ContextOptions options) {
  RETURN_IF_ERROR(check_end());
  RETURN_IF_ERROR(wire::init::check(start_request(options)));
  if (contexts_.size() >= limits_.contexts) {
    return base::fail(Code::kExhausted, "sandbox " + streams_.sandbox() + " has " +
                                            std::to_string(limits_.contexts) +
                                            " contexts, and that is the limit; delete one");
  }
  contexts_.push_back(std::make_shared<ServedContext>(
      ServedContext::Surroundings{.streams = streams_, .limits = limits_, .midwife = midwife_},
      ServedContext::Identity{.name = std::move(name)}, std::move(options)));
  const auto made = contexts_.back();
  made->advance();
  return made->id();
}

std::vector<ContextInfo> Contexts::list() const {
  std::vector<ContextInfo> all;
  all.reserve(contexts_.size());
  for (const auto& context : contexts_) all.push_back(context->describe());
  return all;
}

Result<ContextInfo> Contexts::find(const ContextId& id) const {
  ASSIGN_OR_RETURN(const auto context, served(id));
  return context->describe();
}

Result<ExecutionId> Contexts::execute(const ContextId& id, const Cell& cell,
                                      std::shared_ptr<ExecutionObserver> observer, ExecutionId execution) {
  ASSIGN_OR_RETURN(const auto context, served(id));
  RETURN_IF_ERROR(check_end());
  BASE_CHECK(observer != nullptr);
  ASSIGN_OR_RETURN(auto request, request_of(cell, 0));
  return context->add({.id = std::move(execution),
                       .purpose = cell.purpose,
                       .request = std::move(request),
                       .observer = std::move(observer)});
}

Result<> Contexts::cancel(const ExecutionId& execution) {
  for (const auto& context : contexts_) {
    // Whoever is told of the end may remove the context.
    const auto kept = context;
    if (kept->cancel(execution)) return {};
  }
  return base::fail(Code::kNotFound, "no execution " + execution.text() + " waits or runs in sandbox " +
                                         streams_.sandbox() + "; it may have ended");
}

Result<> Contexts::interrupt(const ContextId& id) {
  ASSIGN_OR_RETURN(const auto context, served(id));
  context->interrupt();
  return {};
}

Result<> Contexts::restart(const ContextId& id) {
  ASSIGN_OR_RETURN(const auto context, served(id));
  RETURN_IF_ERROR(check_end());
  context->restart();
  return {};
}

Result<> Contexts::remove(const ContextId& id) {
  ASSIGN_OR_RETURN(const auto context, served(id));
  std::erase(contexts_, context);
  context->remove();
  return {};
}

std::optional<Contexts::Clock::time_point> Contexts::deadline() const {
  std::optional<Clock::time_point> first;
  for (const auto& context : contexts_) {
    const auto due = context->deadline();
    if (due && (!first || *due < *first)) first = due;
  }
  return first;
}

Result<> Contexts::pump(Clock::time_point now) {
  auto pumped = streams_.pump();
  // A copy, because whoever is told of an end may create and remove contexts.
  for (const auto& context : std::vector(contexts_)) {
    if (!pumped) {
      context->lose(pumped.error());
      continue;
    }
    context->keep_time(now);
    context->advance();
  }
  return pumped;
}

Result<> Contexts::wait() const {
  int timeout = -1;
  if (const auto due = deadline()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - Clock::now()).count();
    timeout = static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }
  pollfd waiting{.fd = streams_.fd(), .events = streams_.wanted_events(), .revents = 0};
  if (::poll(&waiting, 1, timeout) < 0 && errno != EINTR) return base::failed_call("poll");
  return {};
}

Result<> Contexts::run_until(const std::function<bool()>& is_done) {
  while (!is_done()) {
    auto pumped = pump();
    if (is_done()) return {};
    RETURN_IF_ERROR(pumped);
    RETURN_IF_ERROR(wait());
  }
  return {};
}

}  // namespace engine
