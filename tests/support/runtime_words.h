// What the runtime of a context says, as init passes it on.
#pragma once

#include <string>

#include "wire/init_messages.h"

namespace engine::test {

inline wire::init::Said said(wire::runtime::Verb verb, std::uint32_t execution, const std::string& payload) {
  return {{.verb = verb,
           .execution = execution,
           .total = static_cast<std::uint32_t>(payload.size()),
           .bytes = payload}};
}

inline wire::init::Said done(std::uint32_t execution, const std::string& status = R"({"status": "ok"})") {
  return said(wire::runtime::Verb::kDone, execution, status);
}

inline std::string bundle(const std::string& json) { return std::to_string(json.size()) + "\n" + json; }

}  // namespace engine::test
