#pragma once

#include <string>

#include "template/progress.h"
#include "template/store.h"

namespace templates {

// Writes a template to one new file, a zstd-compressed pax archive: owners, modes, times, symbolic and hard
// links are kept. The file appears whole or not at all, and an existing one is never replaced.
Result<> export_template(const TemplateInfo& info, const std::string& file, Progress& progress,
                         const Cancel& cancel);

}  // namespace templates
