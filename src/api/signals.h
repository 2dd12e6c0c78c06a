#pragma once

#include <optional>
#include <string_view>

namespace api {

// By its name, with or without SIG: TERM, SIGTERM. The thirty-one that have one.
std::optional<int> signal_of(std::string_view name);

}  // namespace api
