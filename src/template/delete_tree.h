#pragma once

#include "sys/delete_tree.h"

namespace templates {

using sys::delete_tree;
using sys::empty_directory;

}  // namespace templates
