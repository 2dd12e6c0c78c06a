#include "api/signed_urls.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "api/clock.h"
#include "api/fields.h"
#include "api/file_handlers.h"
#include "api/sandbox_of.h"
#include "base/check.h"
#include "http/target.h"

namespace api {

namespace {

using base::Code;

std::uint64_t seconds_now() {
  return static_cast<std::uint64_t>(
      std::chrono::floor<std::chrono::seconds>(now()).time_since_epoch().count());
}

// The path as it will stand in a URL, which has no parts that mean something else.
Result<std::string> plain_path(std::string_view path) {
  std::string plain;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size());
    if (part == "..") return base::fail(Code::kInvalid, "'path' has a part '..'; name the file in full");
    if (!part.empty() && part != ".") plain.append("/").append(part);
  }
  if (!plain.empty() && !plain.contains('\0') && plain.size() <= wire::file::kMaxPath) return plain;
  return base::fail(Code::kInvalid, "'path' has to be the path of a file, of at most 4096 bytes");
}

std::string encoded_path(std::string_view path) {
  std::string encoded;
  for (const char c : path) encoded += c == '/' ? "/" : http::percent_encode({&c, 1});
  return encoded;
}

struct Wish {
  std::string path;
  std::string method = "GET";
  std::uint64_t expires = 0;
};

Result<Wish> parse_wish(const boost::json::object& body) {
  Fields fields(body);
  Wish wish;
  wish.path = fields.required("path", fields.text("path", wire::file::kMaxPath));
  const auto method = fields.choice("method", {"GET", "PUT"});
  const auto lasts = fields.seconds("expires", {1, 604'800}).value_or(std::chrono::hours(1));
  if (wish.path.empty()) fields.refuse("path", "is empty");
  RETURN_IF_ERROR(fields.check());
  if (method) wish.method = *method;
  wish.expires =
      seconds_now() + static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(lasts).count());
  return wish;
}

Result<std::string> target_of(const Call& call, const fleet::Sandbox& sandbox, const Wish& wish) {
  const std::string& key = call.services().signing_key;
  ASSIGN_OR_RETURN(const std::string path, plain_path(absolute(sandbox, wish.path)));
  const Grant grant{
      .sandbox = sandbox.id(), .what = Grant::of_file(wish.method, path), .expires = wish.expires};
  return fmt::format("/v1/sandboxes/{}/files{}?expires={}&signature={}", sandbox.id(), encoded_path(path),
                     wish.expires, sign(key, grant));
}

bool has_good_signature(const Call& call) {
  const auto expires = http::parse_number(call.query("expires").value_or(""), "expires");
  const auto signature = call.query("signature");
  if (!expires || !signature) return false;
  // Whoever may read a file may ask how large it is.
  const std::string_view method = call.exchange().method() == "HEAD" ? "GET" : call.exchange().method();
  const Grant grant{
      .sandbox = call["sandbox"], .what = Grant::of_file(method, "/" + call["path"]), .expires = *expires};
  return is_good(call.services().signing_key, grant, *signature);
}

}  // namespace

std::string Grant::of_file(std::string_view method, std::string_view path) {
  return fmt::format("{} {}", method, path);
}

std::string sign(std::string_view key, const Grant& grant) {
  // Without a key everybody could sign.
  BASE_CHECK(key.size() >= 32);
  // What may hold any byte stands last, so no two grants read the same.
  const std::string text = fmt::format("cove url 1\n{}\n{}\n{}", grant.sandbox, grant.expires, grant.what);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const auto* made =
      ::HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  BASE_CHECK(made != nullptr);
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

bool is_good(std::string_view key, const Grant& grant, std::string_view signature) {
  const std::string right = sign(key, grant);
  const bool is_right =
      right.size() == signature.size() && ::CRYPTO_memcmp(right.data(), signature.data(), right.size()) == 0;
  return is_right && seconds_now() <= grant.expires;
}

io::Task<fleet::SandboxPtr> sandbox_by_key_or_signature(CallPtr call) {
  if (call->maybe_principal()) co_return co_await sandbox_of(call);
  if (has_good_signature(*call)) co_return co_await sandbox_of(call, Proof::kGiven);
  co_return call->refuse(problem("unauthorized",
                                 "there is no valid key with the request, and no valid signature",
                                 "send Authorization: Bearer <key>; a signed URL may have expired"));
}

io::Task<> sign_url(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const Wish wish, parse_wish(call->body()));
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  CO_ASSIGN_OR_RETURN(const std::string target, target_of(*call, *sandbox, wish));
  const http::Exchange& exchange = call->exchange();
  const std::string_view scheme = exchange.is_encrypted() ? "https" : "http";
  const store::Time until{std::chrono::seconds(wish.expires)};
  boost::json::object document{{"url", fmt::format("{}://{}{}", scheme, exchange.host().text, target)},
                               {"method", wish.method},
                               {"expires_at", text_of(until)}};
  co_return co_await call->reply(201, std::move(document));
}

}  // namespace api
