#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace http {

struct Header {
  std::string name;
  std::string value;
};

// An answer, or the head of a streamed one. Length, connection, date and request id are added when it is
// sent; so is `Cache-Control: no-store` where the handler says nothing about caching.
struct Response {
  unsigned status = 200;
  std::vector<Header> headers = {};
  std::string body = {};
};

std::string_view reason_of(unsigned status);

// An answer with a body of this type.
Response response_of(unsigned status, std::string_view content_type, std::string body);
// `json` is a whole document.
Response json_response(unsigned status, std::string json);

// What is told when something fails, in the shape that all answers of the API have:
// {"error": {"code", "message", "hint", "details"}}.
struct Problem {
  unsigned status = 500;
  std::string code;     // stable, for programs
  std::string message;  // for people: what is wrong
  std::string hint = {};
  std::string details = "{}";  // a JSON object
};
Response problem_response(const Problem& problem);

// JSON text of a string, quotes included. Bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

// One server-sent event. Whatever line ends `data` has, it stays one event; `id` and `name` must have none,
// and are left out when empty.
struct Event {
  std::string_view id = {};
  std::string_view name = {};
  std::string_view data = {};
};
std::string sse_event(const Event& event);
// What keeps a silent stream alive through proxies.
std::string sse_comment(std::string_view text);

// A head can only be sent when no name or value in it can end a line.
bool is_token(std::string_view name);
bool is_field_value(std::string_view value);

}  // namespace http
