#include "cli/json_events.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "base/cause.h"

namespace cli {

namespace {

using wire::init::Channel;

// The others are ours to say: a sandbox cannot claim that it has ended.
constexpr std::array<std::string_view, 6> kOfRuntimes{"result",       "display", "update_display",
                                                      "clear_output", "error",   "notice"};

bool is_of_runtimes(const boost::json::object& head) {
  const auto* type = head.if_contains("type");
  return type != nullptr && type->is_string() &&
         std::ranges::find(kOfRuntimes, std::string_view(type->get_string())) != kOfRuntimes.end();
}

std::string base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // with the NUL that it ends with
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace

Result<> JsonEvents::print(boost::json::object event) {
  event["cell"] = cell_;
  return terminal_.line(boost::json::serialize(event));
}

Result<> JsonEvents::begin() {
  ++cell_;
  return print({{"type", "started"}});
}

Result<> JsonEvents::print_text(Channel channel, std::string text) {
  if (text.empty()) return {};
  return print({{"type", channel == Channel::kStdout ? "stdout" : "stderr"}, {"text", std::move(text)}});
}

Result<> JsonEvents::output(Channel channel, std::string_view bytes) {
  return print_text(channel, (channel == Channel::kStdout ? stdout_ : stderr_).take(bytes));
}

Result<> JsonEvents::flush_text() {
  RETURN_IF_ERROR(print_text(Channel::kStdout, stdout_.rest()));
  return print_text(Channel::kStderr, stderr_.rest());
}

Result<> JsonEvents::event(const engine::Bundle& bundle) {
  if (!is_of_runtimes(bundle.head())) return {};
  ASSIGN_OR_RETURN(const auto saved, files_.save(bundle));
  boost::json::object event = bundle.head();
  place_data(bundle, saved, event);
  return print(std::move(event));
}

void JsonEvents::place_data(const engine::Bundle& bundle, const std::vector<OutputFiles::Saved>& saved,
                            boost::json::object& event) const {
  auto* data = event.if_contains("data");
  if (data == nullptr || !data->is_object()) return;
  boost::json::object files;
  for (const auto& one : saved) {
    data->get_object().erase(one.mime);
    files[one.mime] = one.path;
  }
  if (!files.empty()) event["files"] = std::move(files);
  for (auto& [mime, value] : data->get_object()) {
    if (const auto bytes = bundle.bytes_of(value)) value = base64(*bytes);
  }
}

Result<> JsonEvents::end(const engine::Outcome& outcome) {
  RETURN_IF_ERROR(flush_text());
  return print({{"type", "ended"},
                {"cause", base::name_of(outcome.cause)},
                {"exit_code", outcome.exit_code},
                {"signal", outcome.signal},
                {"wall_us", outcome.usage.wall_us},
                {"cpu_us", outcome.usage.cpu_us},
                {"peak_memory_bytes", outcome.usage.peak_memory_bytes},
                {"dropped_bytes", outcome.usage.dropped_bytes}});
}

Result<> JsonEvents::receipt(const boost::json::object& receipt) {
  boost::json::object event{{"type", "receipt"}};
  event.insert(receipt.begin(), receipt.end());
  return terminal_.line(boost::json::serialize(event));
}

}  // namespace cli
