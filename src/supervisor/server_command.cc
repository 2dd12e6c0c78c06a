#include "supervisor/server_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "sys/file.h"

namespace supervisor {

namespace {

using base::Code;

struct DescriptorOption {
  std::string_view name;
  int ServerCommand::* member;
};
constexpr DescriptorOption kDescriptors[] = {{"--settings-fd", &ServerCommand::settings_fd},
                                             {"--ready-fd", &ServerCommand::ready_fd},
                                             {"--life-fd", &ServerCommand::life_fd}};

Result<int> parse_descriptor(std::string_view key, std::string_view text) {
  int fd = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fd);
  if (error == std::errc() && end == text.data() + text.size() && fd > 2) return fd;
  return base::fail(Code::kInvalid,
                    fmt::format("{} wants the number of an open descriptor, not '{}'", key, text));
}

Result<> take(ServerCommand& command, std::string_view key, const std::string& value) {
  if (key == "--state") {
    command.state = value;
    return {};
  }
  for (const DescriptorOption& option : kDescriptors) {
    if (option.name != key) continue;
    ASSIGN_OR_RETURN(command.*option.member, parse_descriptor(key, value));
    return {};
  }
  return base::fail(Code::kInvalid, fmt::format("unknown option {}", key));
}

}  // namespace

std::vector<std::string> arguments_of(const ServerCommand& command) {
  std::vector<std::string> arguments = {"--state", command.state};
  for (const DescriptorOption& option : kDescriptors) {
    arguments.emplace_back(option.name);
    arguments.push_back(std::to_string(command.*option.member));
  }
  return arguments;
}

Result<ServerCommand> parse_server_arguments(int argc, char** argv) {
  ServerCommand command;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return base::fail(Code::kInvalid, fmt::format("{} needs a value", argv[i]));
    RETURN_IF_ERROR(take(command, argv[i], argv[i + 1]));
  }
  if (!command.state.starts_with('/')) return base::fail(Code::kInvalid, "--state must be an absolute path");
  for (const DescriptorOption& option : kDescriptors) {
    if (command.*option.member < 0) {
      return base::fail(Code::kInvalid,
                        fmt::format("{} is missing: `cove serve` starts this program", option.name));
    }
  }
  return command;
}

Result<base::Config> read_settings(const ServerCommand& command) {
  const sys::UniqueFd fd(command.settings_fd);
  ASSIGN_OR_RETURN(const auto text, sys::pread_text(fd.get(), std::size_t{1} << 20));
  return base::parse_config(text, "settings");
}

Result<> tell_ready(const ServerCommand& command, const std::vector<std::string>& addresses) {
  const sys::UniqueFd fd(command.ready_fd);
  return sys::write_all(fd.get(), fmt::format("{}\n", fmt::join(addresses, " ")));
}

}  // namespace supervisor
