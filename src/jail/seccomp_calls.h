#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace jail {

// Numbers below this are swept one by one by the tests; the kernel is far from reaching it.
inline constexpr int kCallNumberLimit = 512;

struct SystemCall {
  int number;
  std::string_view name;
};

// Every system call of x86-64 known when this was written, by number. Kept here because the policy must name
// calls that the installed headers and libseccomp do not know yet.
std::span<const SystemCall> system_calls();

std::optional<int> call_number(std::string_view name);
std::optional<std::string_view> call_name(int number);

}  // namespace jail
