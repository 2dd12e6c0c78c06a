#pragma once

#include <boost/json/array.hpp>
#include <functional>
#include <vector>

#include "fleet/sandbox.h"
#include "store/records.h"

namespace api {

using base::Result;

// The run that the id of a path names. kInvalid: it is no id of one.
Result<fleet::RunPtr> find_run(fleet::Sandbox& sandbox, std::string_view id);

// A part of a sandbox's runs, newest first. They may go while somebody turns pages: a page begins behind the
// time at which the last one of the page before was asked for.
using IsWanted = std::function<bool(const fleet::Run&)>;
Result<store::Page<fleet::RunPtr>> page_of_runs(const std::vector<fleet::RunPtr>& oldest_first,
                                                const store::PageRequest& request, const IsWanted& is_wanted);

// Texts that may be any bytes: what is no UTF-8 becomes U+FFFD.
std::string text_document(std::string_view bytes);
boost::json::array texts_document(const std::vector<std::string>& texts);
// The same for lists: at most 32 arguments of 256 bytes, so that a list of large ones stays small.
boost::json::array listed_argv(const std::vector<std::string>& argv);

}  // namespace api
