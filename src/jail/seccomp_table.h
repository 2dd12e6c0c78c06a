// The sandbox's system call policy as data. seccomp_filter turns it into BPF through libseccomp;
// seccomp_model evaluates it a second way, so that tests can compare the two.
//
// How a call is judged:
//   1. The argument rules of its name are tried in order; the first that matches gives the verdict.
//   2. Otherwise the group that lists the name gives it (a profile may change single names).
//   3. A call that no group lists is answered with ENOSYS, so that a libc newer than this table falls back to
//      the calls that it knows.
//
// Errors are chosen for the program that meets them. EPERM: the call exists and is refused here. ENOSYS: a
// fallback exists and programs look for this errno. The rest say what the kernel says when it lacks the
// feature. "pretend" answers 0 and does nothing, where a refusal would end programs and obedience would harm.
//
// Pointer arguments cannot be judged. That is why calls which carry their meaning behind a pointer (clone3,
// and i386's socketcall by way of the whole i386 ABI) are refused whole.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace jail {

enum class SeccompProfile {
  kUser,         // what runs in a sandbox
  kUserNoSetid,  // the same where a writable host directory is mounted: cannot leave set-id files on the host
  kRoot,         // root-mode sandboxes (apt, dpkg)
  kInit,         // cove-init, which then starts everything else under one of the profiles above
  kSpawner,      // the root process itself, and so the outermost filter of every sandbox
  kZygote,       // an interpreter that contexts are forked from; a context is under kUser besides
};
inline constexpr std::array kSeccompProfiles = {SeccompProfile::kUser,    SeccompProfile::kUserNoSetid,
                                                SeccompProfile::kRoot,    SeccompProfile::kInit,
                                                SeccompProfile::kSpawner, SeccompProfile::kZygote};

std::string_view name_of(SeccompProfile profile);

// The value is the errno that the caller sees, but for the first, which lets the call through, and the last.
enum class SeccompVerdict : std::uint16_t {
  kAllow = 0,
  kPermission = EPERM,
  kNoCall = ENOSYS,
  kInvalid = EINVAL,
  kNoFamily = EAFNOSUPPORT,
  kNoProtocol = EPROTONOSUPPORT,
  kNoOption = ENOPROTOOPT,
  kPretend = 0xffff,  // no errno: success is reported, and the kernel is not asked
};

// "allow", "EPERM", …
std::string_view name_of(SeccompVerdict verdict);

// A set of profiles, one bit each.
using ProfileSet = std::uint8_t;
constexpr ProfileSet only(SeccompProfile profile) {
  return static_cast<ProfileSet>(1u << static_cast<int>(profile));
}
constexpr bool contains(ProfileSet set, SeccompProfile profile) { return (set & only(profile)) != 0; }
inline constexpr ProfileSet kEveryProfile = 0xff;

// Calls that share a verdict and the reason for it. Every known call is in exactly one group; for a call with
// argument rules the group tells what happens when none of them matches.
struct CallGroup {
  std::string_view name;
  SeccompVerdict verdict;
  std::string_view reason;
  std::string_view calls;  // separated by spaces
};

// Where a profile's verdict differs from the group's.
struct ProfileChange {
  ProfileSet profiles;
  SeccompVerdict verdict;
  std::string_view reason;
  std::string_view calls;
};

// A list that lives inside its table row.
template <class T, std::size_t kMax>
struct ShortList {
  std::array<T, kMax> items{};
  std::size_t count = 0;

  constexpr ShortList(std::initializer_list<T> from) : count(from.size()) {
    std::ranges::copy(from, items.begin());
  }
  constexpr const T* begin() const { return items.data(); }
  constexpr const T* end() const { return items.data() + count; }
};

// Holds when (args[arg] & mask) is one of the values. The mask keeps only bits that the kernel itself looks
// at: it cuts most arguments to 32 bits, so a comparison of all 64 could be escaped by setting a high bit. Of
// pointers it looks at all bits, and all that can be asked is whether one is null.
struct ArgTest {
  unsigned arg = 0;
  std::uint64_t mask = 0;
  ShortList<std::uint64_t, 6> one_of{};
};

struct ArgRule {
  std::string_view call;
  SeccompVerdict verdict;
  std::string_view reason;
  ShortList<ArgTest, 3> tests;  // all must hold; each argument is tested at most once
  ProfileSet profiles = kEveryProfile;
};

std::span<const CallGroup> call_groups();
std::span<const ProfileChange> profile_changes();
std::span<const ArgRule> arg_rules();

// The names in a `calls` column.
template <class Visit>
void for_each_call(std::string_view calls, Visit visit) {
  while (!calls.empty()) {
    const auto space = calls.find(' ');
    const auto name = calls.substr(0, space);
    if (!name.empty()) visit(name);
    calls.remove_prefix(space == std::string_view::npos ? calls.size() : space + 1);
  }
}

}  // namespace jail
