#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "http/response.h"

namespace api {

// What is told to a client when something fails. `code` is one of the stable codes of the API, which decides
// the status; it is a bug to use another.
http::Problem problem(std::string_view code, std::string message, std::string hint = {});
// The one table that makes an answer of an error. What went wrong inside is not told: it may name things of
// the host; the log has it under the request's id.
http::Problem problem_of(const base::Error& error);

}  // namespace api
