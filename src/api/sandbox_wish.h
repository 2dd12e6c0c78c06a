#pragma once

#include "api/call.h"
#include "api/fields.h"

namespace api {

// What the body of a request that makes a sandbox asks for.
struct SandboxWish {
  fleet::Wish wish;
  std::string template_name;
  std::string template_digest;
  std::string name;
  std::string labels = "{}";
  std::string network = "restricted";
  std::chrono::milliseconds timeout{};  // of an execution that names none
  std::optional<store::ProjectId> project;
  std::vector<std::string> environment_names;
};

// Takes template or runtime, limits, env and network out of the fields: what a one-shot has, too.
void read_ground(Call& call, Fields& fields, SandboxWish& wish);
// All of it. The project is not looked up yet.
Result<SandboxWish> read_sandbox_wish(Call& call);

// Of a create and of a change alike.
std::optional<std::string> read_labels(Fields& fields);
std::optional<std::chrono::milliseconds> read_ttl(const Call& call, Fields& fields);
std::optional<std::chrono::milliseconds> read_idle_timeout(const Call& call, Fields& fields);

// NAME=VALUE entries of `env`; what cannot be one is refused.
std::vector<std::string> read_environment(Fields& fields);
// `timeout`, within the operator's ceiling.
std::optional<std::chrono::milliseconds> read_timeout(const Call& call, Fields& fields);

}  // namespace api
