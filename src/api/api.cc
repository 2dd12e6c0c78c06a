#include "api/api.h"

#include <fmt/format.h>

#include "api/clock.h"
#include "api/repetition.h"
#include "api/strict_json.h"

namespace api {

namespace {

using base::Code;
using Kind = http::Router<const Route*>::Match::Kind;

constexpr std::size_t kMaxBody = 16 << 20;
// Of all requests together that are being read or answered: a body is JSON, and becomes several times as
// large.
constexpr std::uint64_t kMaxBodies = 128 << 20;

auth::Action action_of(Access access) {
  switch (access) {
    case Access::kUse:
      return auth::Action::kUse;
    case Access::kManage:
      return auth::Action::kManage;
    case Access::kAdminister:
      return auth::Action::kAdminister;
    case Access::kOpen:
    case Access::kSigned:
    case Access::kRead:
      break;
  }
  return auth::Action::kRead;
}

bool is_json(std::optional<std::string_view> type) {
  if (!type) return false;
  const std::string_view name = type->substr(0, type->find(';'));
  return name == "application/json" || name == "application/json ";
}

// What a body takes of the server's memory, as long as its request is under way.
class Room {
 public:
  Room(std::uint64_t& taken, std::uint64_t size) : taken_(taken), size_(size) { taken_ += size_; }
  ~Room() { taken_ -= size_; }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

 private:
  std::uint64_t& taken_;
  std::uint64_t size_;
};

bool reads_json(const Route& route) { return route.body == Body::kJson || route.body == Body::kOptionalJson; }

http::Problem no_such_path(Kind kind) {
  if (kind == Kind::kBadPath) {
    return problem("invalid_request", "the path has an empty part, or '.' or '..'",
                   "percent-encode names, and leave such parts out");
  }
  return problem("not_found", "there is nothing at this path", "GET /v1/openapi.yaml describes every route");
}

}  // namespace

Api::Api(Services& services) : services_(services) {
  for (const Route& route : all_routes()) router_.add(route.method, route.pattern, &route);
}

io::Task<> Api::handle(http::Exchange& exchange) {
  const auto began = io::Clock::now();
  auto match = router_.match(exchange.method(), exchange.segments());
  const std::string pattern(match.pattern.empty() ? "none" : match.pattern);
  const auto done = co_await answer(exchange, std::move(match));
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(io::Clock::now() - began);
  services_.metrics.count_request(pattern, exchange.status(), took);
  co_return done;
}

io::Task<> Api::answer(http::Exchange& exchange, Match match) {
  if (match.kind == Kind::kMethodNotAllowed) {
    auto response =
        http::problem_response(problem("method_not_allowed", fmt::format("this path knows {}", match.allow)));
    response.headers.push_back({"Allow", match.allow});
    co_return co_await exchange.reply(std::move(response));
  }
  if (match.kind != Kind::kFound) co_return co_await refuse(exchange, no_such_path(match.kind));
  const Route& route = **match.route;
  std::optional<http::Problem> refusal;
  auto principal = who(exchange, route, refusal);
  if (refusal) co_return co_await refuse(exchange, *refusal);
  if (!principal) co_return co_await refuse(exchange, explained(exchange, principal.error()));
  if (route.access != Access::kSigned) {
    if (auto known = exchange.check_query(route.query); !known) {
      co_return co_await refuse(exchange, problem_of(known.error()));
    }
  }
  std::string text;
  const Room room(services_.bodies_in_memory, reads_json(route) ? exchange.content_length().value_or(0) : 0);
  auto body = co_await read_body(exchange, &route, refusal, text);
  if (refusal) co_return co_await refuse(exchange, *refusal);
  if (!body) co_return co_await refuse(exchange, explained(exchange, body.error()));
  Call::Circumstances circumstances{.exchange = &exchange,
                                    .route = &route,
                                    .parameters = std::move(match.parameters),
                                    .principal = *std::move(principal),
                                    .body = *std::move(body)};
  co_return co_await run(std::make_shared<Call>(services_, std::move(circumstances)), std::move(text));
}

Result<std::optional<auth::Principal>> Api::who(const http::Exchange& exchange, const Route& route,
                                                std::optional<http::Problem>& refusal) {
  if (route.access == Access::kOpen) return std::nullopt;
  ASSIGN_OR_RETURN(auto principal, services_.keyring.authenticate(exchange.header("Authorization"), now()));
  if (!principal) {
    if (route.access == Access::kSigned) return std::nullopt;
    refusal = problem("unauthorized", "there is no key with the request, or one that is not valid",
                      "send Authorization: Bearer <key>; `cove key create` makes one");
    return std::nullopt;
  }
  const bool reads = exchange.method() == "GET" || exchange.method() == "HEAD";
  const auto action =
      route.access == Access::kSigned && !reads ? auth::Action::kUse : action_of(route.access);
  if (!auth::may(*principal, action)) {
    refusal = problem("forbidden", "the key's scope does not allow this", "use a key with a wider scope");
  }
  return principal;
}

io::Task<boost::json::object> Api::read_body(http::Exchange& exchange, const Route* route,
                                             std::optional<http::Problem>& refusal, std::string& text) {
  if (route->body == Body::kRaw) co_return boost::json::object();
  if (!exchange.has_body() && route->body != Body::kJson) co_return boost::json::object();
  if (route->body == Body::kNone) {
    CO_ASSIGN_OR_RETURN(const auto unwanted, co_await exchange.whole_body(1 << 10));
    if (!unwanted.empty() && unwanted != "{}")
      refusal = problem("invalid_request", "this route takes no body");
    co_return boost::json::object();
  }
  if (!is_json(exchange.header("Content-Type"))) {
    refusal =
        problem("unsupported_media_type", "the body has to be JSON", "send Content-Type: application/json");
    co_return boost::json::object();
  }
  if (services_.bodies_in_memory > kMaxBodies) {
    refusal = problem("unavailable", "too many large requests at once", "try again in a moment");
    co_return boost::json::object();
  }
  auto whole = co_await exchange.whole_body(kMaxBody);
  if (!whole && whole.error().code == Code::kExhausted) {
    refusal =
        problem("payload_too_large", "the body is larger than 16 MiB", "upload large files by PUT …/files");
  }
  if (!whole) co_return std::unexpected(std::move(whole).error());
  text = *std::move(whole);
  if (text.empty() && route->body == Body::kOptionalJson) co_return boost::json::object();
  co_return parse_object(text);
}

io::Task<> Api::run(CallPtr call, std::string body) {
  const auto key = call->exchange().header("Idempotency-Key");
  const bool may_come_again = key && call->exchange().method() == "POST" && call->maybe_principal();
  Result<> done;
  if (may_come_again) {
    done = co_await run_once(call, std::string(*key), std::move(body));
  } else {
    done = co_await call->route().handler(call);
  }
  if (done) co_return done;
  if (call->exchange().has_begun()) co_return done;
  co_return co_await refuse(call->exchange(),
                            call->refusal() ? *call->refusal() : explained(call->exchange(), done.error()));
}

io::Task<> Api::refuse(http::Exchange& exchange, http::Problem problem) {
  auto response = http::problem_response(problem);
  if (problem.status == 401) response.headers.push_back({"WWW-Authenticate", "Bearer"});
  if (problem.status == 429 || problem.status == 503) response.headers.push_back({"Retry-After", "1"});
  co_return co_await exchange.reply(std::move(response));
}

http::Problem Api::explained(const http::Exchange& exchange, const base::Error& error) const {
  auto problem = problem_of(error);
  if (problem.status == 500) {
    services_.log.error("request_failed", {{"request", exchange.request_id()}, {"error", error.message}});
  }
  return problem;
}

}  // namespace api
