#pragma once

#include <string>

namespace http {

// PEM files. Read once, at the start.
struct Tls {
  std::string certificate_file;  // with its chain
  std::string key_file;
};

}  // namespace http
