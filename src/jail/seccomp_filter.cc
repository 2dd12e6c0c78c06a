// libseccomp cannot say "this, but not that" within one call: of two overlapping rules the less specific one
// swallows the other. So the policy becomes a chain of libseccomp programs ("stages"), in each of which the
// rules of a call all give the same verdict. A stage that has no opinion ends in kContinue, which is then
// rewritten into a jump to the stage behind it; the last stage holds the verdicts by name.
//
// The kernel remembers which calls are allowed whatever their arguments and skips the program for them; it
// understands jumps, so the chain costs only those calls that have argument rules.
#include "jail/seccomp_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <seccomp.h>
#include <sys/mman.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "base/check.h"
#include "jail/seccomp_branches.h"
#include "jail/seccomp_calls.h"
#include "sys/file.h"

namespace jail {
namespace {

using base::Result;
using Program = std::vector<sock_filter>;

// An action that the policy itself never uses; the number is arbitrary.
constexpr std::uint32_t kContinue = SCMP_ACT_TRACE(0x0c0e);

struct StageRule {
  std::uint32_t action;
  int call;
  std::vector<scmp_arg_cmp> tests;
};

struct Stage {
  std::uint32_t otherwise = kContinue;
  std::vector<StageRule> rules;
};

std::uint32_t action_of(SeccompVerdict verdict) {
  if (verdict == SeccompVerdict::kAllow) return SCMP_ACT_ALLOW;
  if (verdict == SeccompVerdict::kPretend) return SCMP_ACT_ERRNO(0);
  return SCMP_ACT_ERRNO(static_cast<std::uint16_t>(verdict));
}

Result<int> known_call(std::string_view name) {
  if (const auto number = call_number(name)) return *number;
  return base::fail(base::Code::kInternal, "seccomp table: no system call named " + std::string(name));
}

// Every way to pick one value per test: libseccomp compares an argument with one value only.
std::vector<std::vector<scmp_arg_cmp>> alternatives(const ArgRule& rule) {
  std::vector<std::vector<scmp_arg_cmp>> all(1);
  for (const ArgTest& test : rule.tests) {
    std::vector<std::vector<scmp_arg_cmp>> longer;
    for (const auto& start : all) {
      for (const std::uint64_t value : test.one_of) {
        longer.push_back(start);
        longer.back().push_back({test.arg, SCMP_CMP_MASKED_EQ, test.mask, value});
      }
    }
    all = std::move(longer);
  }
  return all;
}

// A call's rules share a stage as long as the verdict stays the same.
Result<std::vector<Stage>> argument_stages(SeccompProfile profile) {
  struct Last {
    std::size_t stage;
    SeccompVerdict verdict;
  };
  std::map<int, Last> last_of;
  std::vector<Stage> stages;
  for (const ArgRule& rule : arg_rules()) {
    if (!contains(rule.profiles, profile)) continue;
    ASSIGN_OR_RETURN(const int call, known_call(rule.call));
    Last& last = last_of.try_emplace(call, Last{0, rule.verdict}).first->second;
    if (last.verdict != rule.verdict) last = {last.stage + 1, rule.verdict};
    if (last.stage >= stages.size()) stages.resize(last.stage + 1);
    for (auto& tests : alternatives(rule)) {
      stages[last.stage].rules.push_back({action_of(rule.verdict), call, std::move(tests)});
    }
  }
  return stages;
}

Result<Stage> name_stage(SeccompProfile profile) {
  std::map<int, SeccompVerdict> verdicts;
  std::optional<base::Error> unknown;
  const auto set = [&](std::string_view calls, SeccompVerdict verdict) {
    for_each_call(calls, [&](std::string_view name) {
      if (const auto number = known_call(name)) {
        verdicts[*number] = verdict;
      } else {
        unknown = number.error();
      }
    });
  };
  for (const CallGroup& group : call_groups()) set(group.calls, group.verdict);
  for (const ProfileChange& change : profile_changes()) {
    if (contains(change.profiles, profile)) set(change.calls, change.verdict);
  }
  if (unknown) return std::unexpected(*std::move(unknown));

  Stage stage{.otherwise = SCMP_ACT_ERRNO(ENOSYS), .rules = {}};
  for (const auto& [call, verdict] : verdicts) {
    // libseccomp refuses rules that repeat the default.
    if (action_of(verdict) != stage.otherwise) stage.rules.push_back({action_of(verdict), call, {}});
  }
  return stage;
}

// libseccomp returns errors as negative errnos.
Result<> succeeded(int result, std::string_view call) {
  if (result < 0) return base::failed_call(call, -result);
  return {};
}

Result<Program> exported(scmp_filter_ctx context) {
  const sys::UniqueFd file(::memfd_create("seccomp", MFD_CLOEXEC));
  if (!file) return base::failed_call("memfd_create(seccomp)");
  RETURN_IF_ERROR(succeeded(seccomp_export_bpf(context, file.get()), "seccomp_export_bpf"));
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return base::failed_call("lseek");
  ASSIGN_OR_RETURN(const std::string bytes, sys::read_all(file.get()));
  if (bytes.empty() || bytes.size() % sizeof(sock_filter) != 0) {
    return base::fail(base::Code::kInternal, "seccomp_export_bpf: not a whole number of instructions");
  }
  Program program(bytes.size() / sizeof(sock_filter));
  std::memcpy(program.data(), bytes.data(), bytes.size());
  return program;
}

Result<Program> compile(const Stage& stage) {
  const std::unique_ptr<void, decltype(&seccomp_release)> context(seccomp_init(stage.otherwise),
                                                                  &seccomp_release);
  if (!context) return base::fail(base::Code::kInternal, "seccomp_init failed");
  RETURN_IF_ERROR(succeeded(seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2),
                            "seccomp_attr_set(CTL_OPTIMIZE)"));
  RETURN_IF_ERROR(succeeded(seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, stage.otherwise),
                            "seccomp_attr_set(ACT_BADARCH)"));
  // The kernel's own errors, instead of one for all of them.
  RETURN_IF_ERROR(succeeded(seccomp_attr_set(context.get(), SCMP_FLTATR_API_SYSRAWRC, 1),
                            "seccomp_attr_set(API_SYSRAWRC)"));
  for (const StageRule& rule : stage.rules) {
    const int added = seccomp_rule_add_array(context.get(), rule.action, rule.call,
                                             static_cast<unsigned>(rule.tests.size()), rule.tests.data());
    RETURN_IF_ERROR(succeeded(added, "seccomp_rule_add(" + std::string(*call_name(rule.call)) + ")"));
  }
  return exported(context.get());
}

// Jumps are relative, so a program may stand anywhere; only its "continue" returns learn where the next one
// begins.
void append(Program& chain, const Program& stage) {
  for (std::size_t at = 0; at < stage.size(); ++at) {
    sock_filter instruction = stage[at];
    if (instruction.code == (BPF_RET | BPF_K) && instruction.k == kContinue) {
      instruction = BPF_STMT(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(stage.size() - at - 1));
    }
    chain.push_back(instruction);
  }
}

}  // namespace

Result<Program> build_filter(SeccompProfile profile) {
  ASSIGN_OR_RETURN(std::vector<Stage> stages, argument_stages(profile));
  ASSIGN_OR_RETURN(Stage names, name_stage(profile));
  stages.push_back(std::move(names));
  Program chain;
  for (const Stage& stage : stages) {
    ASSIGN_OR_RETURN(const Program program, compile(stage));
    append(chain, program);
  }
  settle_branches(chain);
  if (chain.size() > BPF_MAXINSNS) {
    return base::fail(base::Code::kInternal, "seccomp filter is longer than the kernel takes");
  }
  return chain;
}

Program abi_gate() {
  constexpr std::uint32_t kX32Bit = 0x4000'0000;
  // A tracer sets this number to skip a call; it is no x32 call.
  constexpr std::uint32_t kSkipped = 0xffff'ffff;
  return {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32Bit, 0, 2),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kSkipped, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
}

std::string filter_hash(std::span<const sock_filter> program) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  const auto bytes = std::as_bytes(program);
  // A root process loads no modules that a configuration file names.
  BASE_CHECK(OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) == 1);
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : std::span(digest).first(8)) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

}  // namespace jail
