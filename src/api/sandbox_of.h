#pragma once

#include "api/call.h"

namespace api {

// Why a caller may know of a sandbox: by the key of its team, or because the handler has seen another reason
// (a signature that is good).
enum class Proof { kKey, kGiven };

// The live sandbox that {sandbox} of the path names, for whoever may see it, and counts as used. An unknown
// one, and one of another team, is not_found; one that has ended is gone, with its cause; what is no id is
// invalid.
io::Task<fleet::SandboxPtr> sandbox_of(CallPtr call, Proof proof = Proof::kKey);

// The record of it, also of one that has ended.
struct Known {
  store::SandboxRow row;
  std::vector<std::string> environment_names;
  fleet::SandboxPtr sandbox;  // none: it has ended
};
io::Task<Known> record_of(CallPtr call, Proof proof = Proof::kKey);

// The record as everybody is shown it.
boost::json::object sandbox_document(const Known& known);
// The same for one that lives.
boost::json::object sandbox_document(const Live& live);

// A path inside a sandbox, absolute or relative to the home directory, as an absolute one.
std::string absolute(const fleet::Sandbox& sandbox, std::string_view path);

}  // namespace api
