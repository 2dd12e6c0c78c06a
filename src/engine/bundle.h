#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "base/error.h"

namespace engine {

using base::Result;

// Something rich that the runtime of a context has told: JSON, and behind it the bytes that JSON cannot hold.
// It comes out of a sandbox: whatever stands in it is the word of the code that ran there.
class Bundle {
 public:
  static Result<Bundle> parse(std::string payload);

  const boost::json::object& head() const { return head_; }
  // What it was parsed from.
  const std::string& payload() const { return payload_; }
  // What {"bytes": [offset, length]} stands for; kInvalid when it is something else or points elsewhere.
  Result<std::string_view> bytes_of(const boost::json::value& place) const;

 private:
  std::string payload_;
  std::size_t bytes_begin_ = 0;
  boost::json::object head_;
};

}  // namespace engine
