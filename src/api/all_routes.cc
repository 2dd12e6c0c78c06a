#include <algorithm>

#include "api/api.h"
#include "api/routes.h"

namespace api {

namespace {

Routes joined() {
  Routes all;
  for (const auto part :
       {sandbox_routes, execution_routes, context_routes, file_routes, process_routes, terminal_routes,
        template_routes, team_routes, project_routes, key_routes, host_routes}) {
    std::ranges::move(part(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

const Routes& all_routes() {
  static const Routes all = joined();
  return all;
}

}  // namespace api
