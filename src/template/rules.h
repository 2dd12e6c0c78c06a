// template: root file systems, immutable and known by digest.
//
//   recipe text ─parse─▶ Recipe ─build─▶ staging directory ─digest─▶ <state>/templates/<digest>/{root,meta}
//                                                           ─name──▶ <state>/templates/names/<name>
//
// Everything is made below <state>/builds and becomes visible by one rename on the same file system, so a
// reader sees a whole template or none. A staging directory is guarded by a lock on a file inside it; one
// whose lock is free belongs to a builder that died and is swept away when a store is opened. All directories
// are 0700: no user of the host can reach a setuid program in a template.
//
// A tree's digest covers sorted paths, types, modes, owners, sizes, contents, link targets and hard-link
// groups, not times. Trees are only touched through descriptors, never through symbolic links in them: what a
// package, a run step or an imported archive left there may be hostile.
//
// The namespace is `templates`, since `template` is a keyword. This file: the limits every name, path and
// value obeys, whichever door it comes through.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace templates {

using base::Result;

constexpr std::size_t kMaxNameBytes = 255;
constexpr std::size_t kMaxPathBytes = 4000;
constexpr std::size_t kMaxDepth = 64;
constexpr std::uint64_t kMaxEntries = 1'000'000;
constexpr std::uint64_t kMaxTreeBytes = std::uint64_t{16} << 30;
// An archive may expand to this much, or this many times its own size, whichever is more.
constexpr std::uint64_t kFreelyUnpackedBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxExpansion = 200;
constexpr std::uint32_t kMaxId = 65'535;  // the width of a sandbox's id block

// "base", "python-data.2": what a template may be called.
Result<> check_template_name(std::string_view name);
bool is_digest(std::string_view text);

// A path inside a tree, without a leading slash: "usr/bin/env". Control characters are refused, so that a
// name can always be shown.
Result<> check_tree_path(std::string_view path);
// The same with a leading slash, as recipes write it.
Result<> check_absolute_path(std::string_view path);
// `path` is `ancestor` or lies below it; both absolute.
bool lies_within(std::string_view path, std::string_view ancestor);

bool is_user_name(std::string_view name);
bool is_environment_name(std::string_view name);
bool has_control_character(std::string_view text);
// UTF-8 without control characters: what a terminal and JSON show as it is.
bool is_plain_text(std::string_view text);
// Safe to print: whatever is_plain_text() refuses becomes '?', long text is cut.
std::string printable(std::string_view text, std::size_t longest = 200);

}  // namespace templates
