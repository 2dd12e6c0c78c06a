#pragma once

#include <boost/json/object.hpp>
#include <string_view>

#include "base/error.h"

namespace api {

// A JSON object as a client may send it: UTF-8, nothing before or behind it, no name twice in one object (two
// readers might disagree about which counts), at most 32 deep. kInvalid says what is wrong and where.
base::Result<boost::json::object> parse_object(std::string_view text);

}  // namespace api
