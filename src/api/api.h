#pragma once

#include "api/call.h"

namespace api {

// All routes, in the order of the documentation.
const Routes& all_routes();

// Finds the route of each request, checks who calls and what they may, reads the body, sees to requests that
// come again, and makes answers of errors.
class Api {
 public:
  explicit Api(Services& services);

  io::Task<> handle(http::Exchange& exchange);

 private:
  using Match = http::Router<const Route*>::Match;

  io::Task<> answer(http::Exchange& exchange, Match match);
  // Nothing when the route needs none. A problem when there has to be one and is not, or it may not do this.
  Result<std::optional<auth::Principal>> who(const http::Exchange& exchange, const Route& route,
                                             std::optional<http::Problem>& refusal);
  io::Task<boost::json::object> read_body(http::Exchange& exchange, const Route* route,
                                          std::optional<http::Problem>& refusal, std::string& text);
  io::Task<> run(CallPtr call, std::string body);
  io::Task<> refuse(http::Exchange& exchange, http::Problem problem);
  http::Problem explained(const http::Exchange& exchange, const base::Error& error) const;

  Services& services_;
  http::Router<const Route*> router_;
};

}  // namespace api
