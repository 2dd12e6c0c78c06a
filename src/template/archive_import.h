#pragma once

#include <string>

#include "template/progress.h"
#include "template/store.h"

namespace templates {

struct ImportRequest {
  std::string file;
  std::string name;  // empty: the one it was exported under
  IfTaken if_taken = IfTaken::kFail;
  Cancel cancel;
};

// Brings in a template that export_template() wrote. The file may have been edited by an enemy: it is read as
// a stream within limits, nothing in it is ever followed, and unless the tree turns out to have the announced
// digest and a sound layout, nothing of it remains.
Result<TemplateInfo> import_template(const Store& store, const ImportRequest& request, Progress& progress);

}  // namespace templates
