#pragma once

#include <string_view>

namespace api {

// docs/openapi.yaml, as it was when this program was built.
std::string_view openapi_document();

}  // namespace api
