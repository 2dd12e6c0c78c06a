#include "template/progress.h"

#include <poll.h>

namespace templates {

bool Cancel::requested() const {
  if (fd_ < 0) return false;
  pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, 0) > 0;
}

Result<> Cancel::check() const {
  if (requested()) return base::fail(base::Code::kUnavailable, "interrupted");
  return {};
}

}  // namespace templates
