#pragma once

#include <string>
#include <vector>

namespace sys {

// Pointers into `strings` with a null at the end: argv and environment as exec wants them.
inline std::vector<char*> c_strings(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (const std::string& text : strings) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace sys
