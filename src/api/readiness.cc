#include "api/readiness.h"

#include "api/services.h"

namespace api {

namespace {

constexpr std::chrono::seconds kFresh{1};
constexpr std::chrono::seconds kPatience{5};

// What went wrong may name things of the host, and anybody may ask: the log has it.
Check check_of(Services& services, std::string name, const base::Result<>& found, std::string_view message) {
  if (found) return {.name = std::move(name), .is_fine = true, .message = {}};
  services.log.warning("not_ready", {{"check", name}, {"error", found.error().message}});
  return {.name = std::move(name), .is_fine = false, .message = std::string(message)};
}

base::Result<> without_value(const auto& found) {
  if (found) return {};
  return std::unexpected(found.error());
}

base::Result<> some_templates(Services& services) {
  ASSIGN_OR_RETURN(const auto* all, services.templates.all());
  if (!all->templates.empty()) return {};
  return base::fail(base::Code::kNotFound, "the catalogue is empty");
}

}  // namespace

io::Task<> Readiness::look(Services& services) {
  std::vector<Check> checks;
  const auto status = co_await services.spawner.call(wire::spawner::Status{});
  checks.push_back(check_of(services, "spawner", without_value(status), "the spawner does not answer"));
  // A transaction takes the lock for writing, whatever it then does.
  auto work = [&services] { return services.store.atomically([] { return base::Result<>(); }); };
  const auto written = co_await services.pool.run(std::move(work));
  checks.push_back(check_of(services, "store", written, "the database cannot be written to"));
  checks.push_back(check_of(services, "templates", some_templates(services),
                            "there is no template; `cove template build` makes one"));
  checks_ = std::move(checks);
  fresh_until_ = io::Clock::now() + kFresh;
  is_looking_ = false;
  looked_.ring();
  co_return base::Result<>();
}

io::Task<std::vector<Check>> Readiness::ask(Services& services) {
  if (!is_looking_ && io::Clock::now() >= fresh_until_) {
    is_looking_ = true;
    services.behind.spawn("readiness", look(services));
  }
  const io::Deadline until = io::Clock::now() + kPatience;
  while (is_looking_) {
    const auto woken = co_await looked_.wait(until);
    if (woken) continue;
    co_return std::vector<Check>{
        {.name = "time", .is_fine = false, .message = "the other checks take too long"}};
  }
  co_return checks_;
}

}  // namespace api
