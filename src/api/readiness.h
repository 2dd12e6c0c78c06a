#pragma once

#include <string>
#include <vector>

#include "io/bell.h"

namespace api {

struct Services;

struct Check {
  std::string name;
  bool is_fine = false;
  std::string message;  // when it is not
};

// Whether sandboxes can be made. Anybody may ask, so it is looked at once a second at most.
class Readiness {
 public:
  explicit Readiness(io::Loop& loop) : looked_(loop) {}

  // What was found less than a second ago, or is found now. Says so when that takes too long.
  io::Task<std::vector<Check>> ask(Services& services);

 private:
  io::Task<> look(Services& services);

  io::Bell looked_;
  bool is_looking_ = false;
  io::Clock::time_point fresh_until_;
  std::vector<Check> checks_;
};

}  // namespace api
