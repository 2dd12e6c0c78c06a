#include "jail/seccomp_model.h"

#include <linux/audit.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace jail {
namespace {

std::uint32_t load_word(const seccomp_data& data, std::uint32_t offset) {
  BASE_CHECK(offset % 4 == 0 && offset + 4 <= sizeof(data));
  std::uint32_t word = 0;
  std::memcpy(&word, reinterpret_cast<const char*>(&data) + offset, sizeof(word));
  return word;
}

bool is_conditional(const sock_filter& instruction) {
  return BPF_CLASS(instruction.code) == BPF_JMP && BPF_OP(instruction.code) != BPF_JA;
}

bool condition_holds(const sock_filter& instruction, std::uint32_t accumulator) {
  switch (instruction.code) {
    case BPF_JMP | BPF_JEQ | BPF_K:
      return accumulator == instruction.k;
    case BPF_JMP | BPF_JGT | BPF_K:
      return accumulator > instruction.k;
    case BPF_JMP | BPF_JGE | BPF_K:
      return accumulator >= instruction.k;
    case BPF_JMP | BPF_JSET | BPF_K:
      return (accumulator & instruction.k) != 0;
    default:
      BASE_CHECK(false);  // an instruction that libseccomp does not emit
  }
  return false;
}

bool holds(const ArgTest& test, const seccomp_data& data) {
  const std::uint64_t seen = data.args[test.arg] & test.mask;
  return std::ranges::any_of(test.one_of, [seen](std::uint64_t value) { return value == seen; });
}

bool matches(const ArgRule& rule, const seccomp_data& data) {
  return std::ranges::all_of(rule.tests, [&data](const ArgTest& test) { return holds(test, data); });
}

std::size_t known_number(std::string_view name) {
  const auto number = call_number(name);
  BASE_CHECK(number.has_value());
  return static_cast<std::size_t>(*number);
}

}  // namespace

std::vector<std::size_t> BpfCoverage::one_sided(std::span<const sock_filter> program) const {
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < program.size(); ++at) {
    if (is_conditional(program[at]) && seen[at] != (kTaken | kNotTaken)) found.push_back(at);
  }
  return found;
}

BpfOutcome run_bpf(std::span<const sock_filter> program, const seccomp_data& data, BpfCoverage& coverage) {
  BASE_CHECK(coverage.seen.size() == program.size());
  const sock_filter* const code = program.data();
  std::uint8_t* const seen = coverage.seen.data();
  std::uint32_t accumulator = 0;
  bool read_arguments = false;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& instruction = code[at];
    switch (instruction.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        accumulator = load_word(data, instruction.k);
        read_arguments |= instruction.k >= offsetof(seccomp_data, args);
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        accumulator &= instruction.k;
        break;
      case BPF_RET | BPF_K:
        return {instruction.k, read_arguments};
      case BPF_JMP | BPF_JA:
        at += instruction.k;
        break;
      default: {
        const bool taken = condition_holds(instruction, accumulator);
        seen[at] |= taken ? BpfCoverage::kTaken : BpfCoverage::kNotTaken;
        at += taken ? instruction.jt : instruction.jf;
      }
    }
  }
  BASE_CHECK(false);  // every program ends with a return
  return {};
}

SeccompModel::SeccompModel(SeccompProfile profile) {
  by_number_.fill(SeccompVerdict::kNoCall);
  const auto set = [this](std::string_view calls, SeccompVerdict verdict) {
    for_each_call(calls, [&](std::string_view name) { by_number_[known_number(name)] = verdict; });
  };
  for (const CallGroup& group : call_groups()) set(group.calls, group.verdict);
  for (const ProfileChange& change : profile_changes()) {
    if (contains(change.profiles, profile)) set(change.calls, change.verdict);
  }
  for (const ArgRule& rule : arg_rules()) {
    if (contains(rule.profiles, profile)) rules_[known_number(rule.call)].push_back(&rule);
  }
}

SeccompVerdict SeccompModel::verdict(const seccomp_data& data) const {
  if (data.arch != AUDIT_ARCH_X86_64) return SeccompVerdict::kNoCall;
  if (data.nr < 0 || data.nr >= kCallNumberLimit) return SeccompVerdict::kNoCall;
  const auto number = static_cast<std::size_t>(data.nr);
  for (const ArgRule* rule : rules_[number]) {
    if (matches(*rule, data)) return rule->verdict;
  }
  return by_number_[number];
}

std::uint32_t return_value_of(SeccompVerdict verdict) {
  if (verdict == SeccompVerdict::kAllow) return SECCOMP_RET_ALLOW;
  if (verdict == SeccompVerdict::kNothing) return SECCOMP_RET_ERRNO;
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(verdict);
}

std::uint32_t strictest(std::uint32_t first_installed, std::uint32_t then_installed) {
  // The kernel compares the action halves as signed numbers: killing the process is negative, allowing the
  // largest.
  const auto strictness = [](std::uint32_t action) {
    return static_cast<std::int32_t>(action & SECCOMP_RET_ACTION_FULL);
  };
  return strictness(first_installed) < strictness(then_installed) ? first_installed : then_installed;
}

}  // namespace jail
