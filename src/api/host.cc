#include <fmt/format.h>

#include <algorithm>

#include "api/openapi.h"
#include "api/routes.h"

namespace api {

namespace {

namespace json = boost::json;

io::Task<> health(CallPtr call) {
  co_return co_await call->reply(200, {{"status", "ok"}, {"version", COVE_VERSION}});
}

io::Task<> ready(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto checks, co_await call->services().readiness.ask(call->services()));
  const bool is_ready = std::ranges::all_of(checks, &Check::is_fine);
  json::array items;
  for (const Check& check : checks) {
    json::object item{{"name", check.name}, {"ok", check.is_fine}};
    item["message"] = check.is_fine ? json::value(nullptr) : json::value(check.message);
    items.push_back(std::move(item));
  }
  co_return co_await call->reply(is_ready ? 200 : 503, {{"ready", is_ready}, {"checks", std::move(items)}});
}

io::Task<> metrics(CallPtr call) {
  const Services& services = call->services();
  const auto& taken = services.fleet.taken();
  const Metrics::Gauges gauges{.sandboxes = taken.sandboxes,
                               .memory_bytes = taken.memory_bytes,
                               .disk_bytes = taken.disk_bytes,
                               .connections = services.connections ? services.connections() : 0};
  auto response =
      http::response_of(200, "text/plain; version=0.0.4; charset=utf-8", services.metrics.text(gauges));
  co_return co_await call->exchange().reply(std::move(response));
}

struct Layer {
  std::string_view name;
  bool is_in_force = true;
  std::string_view detail;
};

// Setting up a sandbox has no step that may fail and be passed over: of a sandbox that runs, all of these are
// true. SECURITY.md says more of each.
constexpr Layer kLayers[] = {
    {"identity", true,
     "a block of 65,536 ids of the host for each sandbox; root inside is nobody outside, and sandboxes of "
     "different "
     "templates never share an id"},
    {"namespaces", true, "user, mount, pid, network, ipc, uts and cgroup; new ones cannot be made inside"},
    {"file_system", true,
     "a read-only template below a layer of the sandbox's own, nosuid and nodev; own /dev and /sys, masked "
     "/proc; the "
     "host's root is detached"},
    {"capabilities", true, "none in any set, an empty bounding set, no new privileges"},
    {"init", true, "pid 1 has an id of its own and runs from sealed memory that cannot be read inside"},
    {"network", true, "no interface but a loopback of the sandbox's own: nothing leaves, nothing comes in"},
    {"landlock", false, "free for programs to use; no promise rests on it"},
    {"own_kernel", false,
     "the kernel is the host's: an unknown bug in a call that is allowed is not held by this tier"},
};

json::object layer_document(std::string_view name, bool is_in_force, std::string_view detail) {
  return {{"name", name}, {"in_force", is_in_force}, {"detail", detail}};
}

std::string filter_detail(const fleet::Fleet& fleet) {
  std::string detail = "an allowlist with argument rules; unknown calls fail, 32-bit calls kill";
  const auto live = fleet.list();
  return live.empty() ? detail : fmt::format("{}; {}", detail, live.front()->engine().seccomp());
}

io::Task<> security(CallPtr call) {
  Services& services = call->services();
  CO_ASSIGN_OR_RETURN(const auto status, co_await services.spawner.call(wire::spawner::Status{}));
  json::array layers;
  for (const Layer& layer : kLayers)
    layers.push_back(layer_document(layer.name, layer.is_in_force, layer.detail));
  layers.push_back(layer_document("system_calls", true, filter_detail(services.fleet)));
  layers.push_back(
      layer_document("control_groups", true,
                     "limits of memory, CPU and processes on one group per sandbox, which no process "
                     "leaves; a kill takes all of it"));
  layers.push_back(layer_document(
      "disk", true, fmt::format("a file system of the sandbox's own size ({})", status.disk_backend.view())));
  co_return co_await call->reply(200, {{"tier", "jail"}, {"layers", std::move(layers)}});
}

io::Task<> openapi(CallPtr call) {
  auto response = http::response_of(200, "application/yaml", std::string(openapi_document()));
  co_return co_await call->exchange().reply(std::move(response));
}

}  // namespace

Routes host_routes() {
  return {
      {"GET", "/v1/health", Access::kOpen, Body::kNone, health},
      {"GET", "/v1/ready", Access::kOpen, Body::kNone, ready},
      {"GET", "/v1/metrics", Access::kAdminister, Body::kNone, metrics},
      {"GET", "/v1/security", Access::kRead, Body::kNone, security},
      {"GET", "/v1/openapi.yaml", Access::kOpen, Body::kNone, openapi},
  };
}

}  // namespace api
