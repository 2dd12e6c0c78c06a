// Whatever the path, a route that is found got parameters that are not empty and lead nowhere else.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "http/router.h"
#include "http/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kRouter = [] {
    http::Router<int> router;
    router.add("GET", "/v1/things/{id}", 1);
    router.add("GET", "/v1/things/{id}/files/{path...}", 2);
    router.add("GET", "/{any*}", 3);
    return router;
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)http::RoutePattern::parse(text);
  const auto target = http::parse_target(text);
  if (!target) return 0;
  const auto match = kRouter.match("GET", target->segments);
  if (match.kind != http::Router<int>::Match::Kind::kFound) return 0;
  if (*match.route == 3) return 0;
  BASE_CHECK(!match["id"].empty() && match["id"] != "." && match["id"] != "..");
  if (*match.route == 2) BASE_CHECK(("/" + match["path"] + "/").find("/../") == std::string::npos);
  return 0;
}
