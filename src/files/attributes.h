#pragma once

#include "files/call.h"

namespace files {

// Extended attributes of regular files and directories, those named user.* alone: the others belong to root
// or to the kernel.
Result<wire::file::Done> get_attributes(Call& call, const wire::file::GetAttributes& request);
Result<wire::file::Done> set_attribute(const wire::file::SetAttribute& request);
Result<wire::file::Done> remove_attribute(const wire::file::RemoveAttribute& request);

}  // namespace files
