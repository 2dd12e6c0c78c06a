#include "tests/attacks/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace attacks {

namespace {
std::string path_of_list(const std::string& name) { return std::string(ATTACK_SOURCES) + "/golden/" + name; }
}  // namespace

Lines golden(const std::string& name, const Lines& seen) {
  if (std::getenv("COVE_WRITE_GOLDEN") != nullptr) {
    std::ofstream file(path_of_list(name));
    for (const std::string& line : seen) file << line << "\n";
  }
  return kept_list(name);
}

Lines kept_list(const std::string& name) {
  const std::string path = path_of_list(name);
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  Lines lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && !line.starts_with('#')) lines.push_back(line);
  }
  EXPECT_FALSE(lines.empty()) << path;
  return lines;
}

}  // namespace attacks
