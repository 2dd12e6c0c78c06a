#pragma once

#include "base/text_of_bytes.h"
#include "cli/cell_events.h"

namespace cli {

// For programs: one JSON object per line, all of them on stdout. Types: started, stdout, stderr, display,
// result, update_display, clear_output, error, notice, ended, and at last receipt. Binary data is base64, or,
// when files are saved, the name of one.
class JsonEvents final : public CellEvents {
 public:
  using CellEvents::CellEvents;

  Result<> begin() override;
  Result<> end(const engine::Outcome& outcome) override;
  Result<> receipt(const boost::json::object& receipt) override;
  Result<> output(wire::init::Channel channel, std::string_view bytes) override;
  Result<> event(const engine::Bundle& bundle) override;

 private:
  Result<> print(boost::json::object event);
  Result<> print_text(wire::init::Channel channel, std::string text);
  Result<> flush_text();
  void place_data(const engine::Bundle& bundle, const std::vector<OutputFiles::Saved>& saved,
                  boost::json::object& event) const;

  int cell_ = 0;
  base::TextOfBytes stdout_;
  base::TextOfBytes stderr_;
};

}  // namespace cli
