#include "http/response.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"

namespace http {

namespace {
constexpr std::array kReasons = {
    std::pair{101, "Switching Protocols"},
    std::pair{200, "OK"},
    std::pair{201, "Created"},
    std::pair{202, "Accepted"},
    std::pair{204, "No Content"},
    std::pair{206, "Partial Content"},
    std::pair{301, "Moved Permanently"},
    std::pair{302, "Found"},
    std::pair{304, "Not Modified"},
    std::pair{307, "Temporary Redirect"},
    std::pair{308, "Permanent Redirect"},
    std::pair{400, "Bad Request"},
    std::pair{401, "Unauthorized"},
    std::pair{403, "Forbidden"},
    std::pair{404, "Not Found"},
    std::pair{405, "Method Not Allowed"},
    std::pair{408, "Request Timeout"},
    std::pair{409, "Conflict"},
    std::pair{410, "Gone"},
    std::pair{412, "Precondition Failed"},
    std::pair{413, "Content Too Large"},
    std::pair{415, "Unsupported Media Type"},
    std::pair{416, "Range Not Satisfiable"},
    std::pair{417, "Expectation Failed"},
    std::pair{421, "Misdirected Request"},
    std::pair{422, "Unprocessable Content"},
    std::pair{423, "Locked"},
    std::pair{426, "Upgrade Required"},
    std::pair{428, "Precondition Required"},
    std::pair{429, "Too Many Requests"},
    std::pair{431, "Request Header Fields Too Large"},
    std::pair{500, "Internal Server Error"},
    std::pair{501, "Not Implemented"},
    std::pair{502, "Bad Gateway"},
    std::pair{503, "Service Unavailable"},
    std::pair{504, "Gateway Timeout"},
    std::pair{505, "HTTP Version Not Supported"},
    std::pair{507, "Insufficient Storage"},
};

void append_escaped(std::string& json, std::uint32_t c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  json.append("\\u00").append({kDigits[c >> 4], kDigits[c & 15]});
}
}  // namespace

std::string_view reason_of(unsigned status) {
  const auto found =
      std::ranges::find(kReasons, static_cast<int>(status), [](const auto& row) { return row.first; });
  return found == kReasons.end() ? "Status" : found->second;
}

Response response_of(unsigned status, std::string_view content_type, std::string body) {
  return {status, {{"Content-Type", std::string(content_type)}}, std::move(body)};
}

Response json_response(unsigned status, std::string json) {
  return response_of(status, "application/json", std::move(json));
}

Response problem_response(const Problem& problem) {
  return json_response(problem.status, R"({"error":{"code":)" + json_string(problem.code) + R"(,"message":)" +
                                           json_string(problem.message) + R"(,"hint":)" +
                                           json_string(problem.hint) + R"(,"details":)" + problem.details +
                                           "}}");
}

std::string json_string(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const auto c = base::first_character(text);
    if (c.kind != base::Utf8::Kind::kWhole) {
      json += "\xef\xbf\xbd";
    } else if (c.value < 0x20 || c.value == 0x7f) {
      append_escaped(json, c.value);
    } else {
      if (c.value == '"' || c.value == '\\') json += '\\';
      json += text.substr(0, c.size);
    }
    text.remove_prefix(c.size);
  }
  return json += '"';
}

std::string sse_event(const Event& event) {
  std::string text;
  if (!event.id.empty()) text.append("id: ").append(event.id).append("\n");
  if (!event.name.empty()) text.append("event: ").append(event.name).append("\n");
  std::string_view left = event.data;
  while (true) {
    const auto end = left.find_first_of("\r\n");
    text.append("data: ").append(left.substr(0, end)).append("\n");
    if (end == std::string_view::npos) break;
    left.remove_prefix(end + (left.substr(end, 2) == "\r\n" ? 2 : 1));
  }
  return text += '\n';
}

std::string sse_comment(std::string_view text) { return ": " + std::string(text) + "\n\n"; }

bool is_token(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").contains(c);
  };
  return !name.empty() && std::ranges::all_of(name, allowed);
}

bool is_field_value(std::string_view value) {
  return std::ranges::all_of(
      value, [](char c) { return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\t'; });
}

}  // namespace http
