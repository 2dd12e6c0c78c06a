#pragma once

#include "api/call.h"

// One function per kind of thing: the routes that are about it.
namespace api {

Routes sandbox_routes();
Routes execution_routes();
Routes context_routes();
Routes file_routes();
Routes process_routes();
Routes terminal_routes();
Routes template_routes();
Routes team_routes();
Routes project_routes();
Routes key_routes();
Routes host_routes();

}  // namespace api
