#include "cli/text_events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>

namespace cli {

namespace {

using wire::init::Channel;

std::string text_at(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string plain_text(const boost::json::object& head) {
  const auto* data = head.if_contains("data");
  return data != nullptr && data->is_object() ? text_at(data->get_object(), "text/plain") : std::string();
}

}  // namespace

Result<> TextEvents::output(Channel channel, std::string_view bytes) {
  return terminal_.output(channel, bytes);
}

Result<> TextEvents::event(const engine::Bundle& bundle) {
  const std::string type = text_at(bundle.head(), "type");
  if (type == "result" || type == "display" || type == "update_display") return show(bundle);
  if (type == "error") {
    return terminal_.output(Channel::kStderr, text_at(bundle.head(), "traceback") + "\n");
  }
  if (type == "notice") {
    return terminal_.output(Channel::kStderr, "cove: " + text_at(bundle.head(), "text") + "\n");
  }
  return {};
}

Result<> TextEvents::show(const engine::Bundle& bundle) {
  const std::string text = plain_text(bundle.head());
  if (!text.empty()) RETURN_IF_ERROR(terminal_.line(text));
  return tell_of_files(bundle);
}

Result<> TextEvents::tell_of_files(const engine::Bundle& bundle) {
  ASSIGN_OR_RETURN(const auto saved, files_.save(bundle));
  for (const auto& one : saved) {
    RETURN_IF_ERROR(terminal_.output(Channel::kStderr, fmt::format("cove: saved {}\n", one.path)));
  }
  const auto kinds = kinds_of_files(bundle);
  const bool has_image = std::ranges::any_of(kinds, [](auto kind) { return kind.starts_with("image/"); });
  if (files_.is_saving() || !has_image) return {};
  return terminal_.output(Channel::kStderr,
                          fmt::format("cove: not kept: {}; --out DIR saves it\n", fmt::join(kinds, ", ")));
}

}  // namespace cli
