#pragma once

#include <string_view>

#include "api/call.h"
#include "api/fields.h"
#include "api/terminal_seats.h"

namespace api {

// One who sits at a terminal: sees its output from a byte on, and may write to it and change its size.
struct TerminalView {
  fleet::RunPtr run;
  TerminalSeatPtr seat;
  std::shared_ptr<http::WebSocket> socket;
  std::uint64_t offset = 0;  // of the first byte that the client does not have
};

// Until the terminal has ended or the client is gone; nothing is left behind then.
io::Task<> sit(io::Loop& loop, TerminalView view);

// What a client may say in words: {"type": "resize", "rows": n, "columns": n}. kInvalid for all else.
Result<wire::init::Window> parse_resize(std::string_view text);

// The fields rows and columns; without `otherwise` both have to be there.
wire::init::Window read_window(Fields& fields, std::optional<wire::init::Window> otherwise);

// The size, for all who sit there.
Result<> resize(fleet::Run& run, TerminalSeat& seat, wire::init::Window window);

}  // namespace api
