#include "api/repetition.h"

#include <openssl/evp.h>

#include <array>

#include "api/clock.h"

namespace api {

namespace {

using store::Idempotency;
using Verdict = Idempotency::Verdict;

// The parts have different alphabets or a length before them, so that no two requests have one text.
std::string hash_of(const http::Exchange& exchange, std::string_view body) {
  const std::string text = std::string(exchange.method()) + " " + std::string(exchange.target()) + "\n" +
                           std::string(exchange.header("Content-Type").value_or("")) + "\n" +
                           std::string(body);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

bool is_kept(const std::optional<http::Response>& replied) { return replied && replied->status < 300; }

io::Task<> note_outcome(Services& services, store::Attempt attempt, std::optional<http::Response> replied) {
  auto work = [&services, attempt, replied]() -> Result<> {
    auto& records = services.store.idempotency();
    if (!is_kept(replied)) return records.forget(attempt);
    store::Answer answer{.status = static_cast<int>(replied->status), .body = replied->body};
    for (const auto& header : replied->headers) {
      if (header.name == "Location") answer.headers = header.value;
    }
    if (records.finish(attempt, answer)) return {};
    return records.forget(attempt);
  };
  co_return co_await services.pool.run(std::move(work));
}

io::Task<> replay(CallPtr call, store::Answer answer) {
  http::Response response = http::json_response(static_cast<unsigned>(answer.status), std::move(answer.body));
  if (response.status == 204) response = {.status = 204};
  if (!answer.headers.empty()) response.headers.push_back({"Location", answer.headers});
  response.headers.push_back({"Idempotent-Replayed", "true"});
  co_return co_await call->exchange().reply(std::move(response));
}

io::Task<> do_first(CallPtr call, store::Attempt attempt) {
  const auto done = co_await call->route().handler(call);
  CO_RETURN_IF_ERROR(co_await note_outcome(call->services(), attempt, done ? call->replied() : std::nullopt));
  co_return done;
}

}  // namespace

io::Task<> run_once(CallPtr call, std::string key, std::string body) {
  const store::Attempt attempt{
      .team = call->principal().team, .key = std::move(key), .request_hash = hash_of(call->exchange(), body)};
  Services& services = call->services();
  auto work = [&services, attempt] { return services.store.idempotency().begin(attempt, now()); };
  CO_ASSIGN_OR_RETURN(auto begun, co_await services.pool.run(std::move(work)));
  if (begun.verdict == Verdict::kNew) co_return co_await do_first(call, attempt);
  if (begun.verdict == Verdict::kReplay) co_return co_await replay(call, std::move(begun.answer));
  if (begun.verdict == Verdict::kMismatch) {
    co_return call->refuse(problem("idempotency_mismatch",
                                   "this Idempotency-Key was used for another request",
                                   "use a new key for a new request"));
  }
  co_return call->refuse(
      problem("conflict", "a request with this Idempotency-Key is under way", "wait a moment and repeat it"));
}

}  // namespace api
