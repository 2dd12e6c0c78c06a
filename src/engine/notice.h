#pragma once

#include "engine/cell.h"

namespace engine {

// Before a cell of a context that had been lost: what the cells before it made is not there any more.
Result<> tell_of_loss(CellObserver& observer);

}  // namespace engine
