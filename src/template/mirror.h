#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "template/rules.h"

// Where packages come from: the places that the host's own apt uses for Debian, with its proxy and TLS
// settings. No address is written down in this project.
namespace templates {

struct Mirror {
  struct Source {
    std::string uri;
    std::string suite;  // "trixie", "trixie-updates", "trixie-security"
  };
  std::vector<Source> sources;
  std::string apt_options;  // lines for an apt.conf
};

// From the output of `apt-get indextargets` in our format: the host's Debian archives, its release replaced
// by `suite` ("bookworm-security" becomes "trixie-security").
Result<std::vector<Mirror::Source>> parse_index_targets(std::string_view text, std::string_view suite);
// From the output of `apt-config dump`: how to fetch, never whether to check signatures.
std::string parse_apt_config(std::string_view dump);

// Asks the host's apt.
Result<Mirror> host_mirror(std::string_view suite);

enum class Credentials { kKeep, kStrip };
// deb822 text for these sources; with kStrip a user and password in an address are left out.
std::string format_sources(const std::vector<Mirror::Source>& sources, Credentials credentials);

}  // namespace templates
