#pragma once

#include "api/call.h"
#include "base/text_of_bytes.h"
#include "fleet/run.h"

namespace api {

// A run as far as it is, with what it has told: at most `most_bytes` of it.
io::Task<boost::json::object> run_document(std::string sandbox, fleet::RunPtr run,
                                           std::size_t most_bytes = std::size_t{256} << 20);

// Makes documents of a run's events, in order: a character may be cut by the end of an event, and is told
// with the next one of its channel.
class EventDocuments {
 public:
  explicit EventDocuments(fleet::RunPtr run) : run_(std::move(run)) {}
  boost::json::object of(const fleet::Event& event);

 private:
  fleet::RunPtr run_;
  base::TextOfBytes out_;
  base::TextOfBytes error_;
};

// Parts that documents of processes and terminals have in common.
boost::json::value cause_document(const fleet::Run& run);
boost::json::value exit_code_document(const fleet::Run& run);
boost::json::value signal_document(const fleet::Run& run);
boost::json::value time_document(const std::optional<fleet::Run::Time>& time);
boost::json::object receipt_document(const engine::Outcome& outcome);

}  // namespace api
