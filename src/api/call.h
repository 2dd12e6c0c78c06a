// api: version 1 of the API. JSON in, JSON out, and what is between: one file per kind of thing, each with a
// table of its routes. Knows every part of the server and is known by none but its main program.
//
//   request ─▶ Api (route, key, rights, body, repetition) ─▶ a handler(Call) ─▶ fleet, store ─▶ reply
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/problem.h"
#include "api/services.h"
#include "auth/principal.h"
#include "http/exchange.h"
#include "http/router.h"

namespace api {

using base::Result;

class Call;
using CallPtr = std::shared_ptr<Call>;
using Handler = io::Task<> (*)(CallPtr call);

// Who may. kOpen: anybody; kSigned: whoever has a key or a signature, which the handler checks.
enum class Access { kOpen, kSigned, kRead, kUse, kManage, kAdminister };
// What comes with the request. kJson is read and parsed before the handler; kRaw is the handler's to read.
enum class Body { kNone, kJson, kOptionalJson, kRaw };

struct Route {
  std::string_view method;
  std::string_view pattern;
  Access access = Access::kRead;
  Body body = Body::kNone;
  Handler handler = nullptr;
  std::vector<std::string_view> query = {};  // the parameters that it knows; others are refused
};
using Routes = std::vector<Route>;

// One request, once it is known who calls and what for.
class Call {
 public:
  using Parameters = http::RoutePattern::Parameters;
  struct Circumstances {
    http::Exchange* exchange = nullptr;  // as long as its handler runs
    const Route* route = nullptr;
    Parameters parameters;
    std::optional<auth::Principal> principal;
    boost::json::object body;
  };

  Call(Services& services, Circumstances circumstances);

  Services& services() const { return services_; }
  http::Exchange& exchange() const { return *of_.exchange; }
  const Route& route() const { return *of_.route; }
  // Whoever calls; only behind an Access that asks for a key.
  const auth::Principal& principal() const;
  const std::optional<auth::Principal>& maybe_principal() const { return of_.principal; }
  // Of the path; it is a bug to ask for one that the route does not have.
  const std::string& operator[](std::string_view name) const;
  const boost::json::object& body() const { return of_.body; }

  // Of the query. kInvalid for what is not of that form.
  std::optional<std::string> query(std::string_view name) const { return of_.exchange->query(name); }
  Result<std::uint64_t> number(std::string_view name, std::uint64_t otherwise, std::uint64_t most) const;
  Result<bool> truth(std::string_view name, bool otherwise) const;
  // kInvalid when it is there and none of these.
  Result<> one_of(std::string_view name, std::initializer_list<std::string_view> known) const;
  Result<store::PageRequest> page() const;

  io::Task<> reply(unsigned status, boost::json::object document, std::vector<http::Header> headers = {});
  io::Task<> reply_nothing();
  // What a handler returns instead of an error when it wants to say more than that.
  std::unexpected<base::Error> refuse(http::Problem problem);
  const std::optional<http::Problem>& refusal() const { return refusal_; }

  // What was replied, for a request that may come again; absent when it was a stream.
  const std::optional<http::Response>& replied() const { return replied_; }
  // Of a stream: what is told to whoever repeats the request.
  void remember(unsigned status, const boost::json::object& document, http::Header header);

 private:
  Services& services_;
  Circumstances of_;
  std::optional<http::Problem> refusal_;
  std::optional<http::Response> replied_;
};

// A list, as every list is answered.
boost::json::object page_document(boost::json::array items, const std::optional<std::string>& next);

}  // namespace api
