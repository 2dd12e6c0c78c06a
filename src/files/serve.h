#pragma once

#include "files/connection.h"

namespace files {

// Carries out one request after another as whoever this process is. Returns when the other side has closed.
Result<> serve(int socket);

}  // namespace files
