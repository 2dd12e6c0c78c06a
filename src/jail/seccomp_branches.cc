// Follows the range of values that the accumulator may hold. Classic BPF jumps forward only, so one pass sees
// every way into an instruction before the instruction itself.
#include "jail/seccomp_branches.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace jail {
namespace {

struct Range {
  std::uint32_t low = 0;
  std::uint32_t high = std::numeric_limits<std::uint32_t>::max();
};
using MaybeRange = std::optional<Range>;  // none: cannot happen

MaybeRange between(std::uint64_t low, std::uint64_t high) {
  if (low > high) return std::nullopt;
  return Range{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)};
}

// The part of the range for which the jump's condition holds.
MaybeRange where_true(const sock_filter& jump, Range range) {
  const std::uint64_t k = jump.k;
  switch (BPF_OP(jump.code)) {
    case BPF_JEQ:
      return between(std::max<std::uint64_t>(range.low, k), std::min<std::uint64_t>(range.high, k));
    case BPF_JGT:
      return between(std::max<std::uint64_t>(range.low, k + 1), range.high);
    case BPF_JGE:
      return between(std::max<std::uint64_t>(range.low, k), range.high);
    default:
      return range;
  }
}

// The part for which it does not. One value less in the middle of a range is not noted.
MaybeRange where_false(const sock_filter& jump, Range range) {
  const std::uint64_t k = jump.k;
  switch (BPF_OP(jump.code)) {
    case BPF_JEQ:
      if (range.low == k) return between(k + 1, range.high);
      if (range.high == k) return between(range.low, k - 1);
      return range;
    case BPF_JGT:
      return between(range.low, std::min<std::uint64_t>(range.high, k));
    case BPF_JGE:
      return k == 0 ? std::nullopt : between(range.low, std::min<std::uint64_t>(range.high, k - 1));
    default:
      return range;
  }
}

Range after_and(std::uint32_t mask, Range range) {
  if (range.low == range.high) return {range.low & mask, range.low & mask};
  return {0, mask};
}

class Flow {
 public:
  explicit Flow(std::size_t instructions) : ranges_(instructions) { ranges_[0] = Range{}; }

  MaybeRange at(std::size_t instruction) const { return ranges_[instruction]; }
  void reach(std::size_t instruction, MaybeRange with) {
    if (!with || instruction >= ranges_.size()) return;
    MaybeRange& known = ranges_[instruction];
    known = known ? Range{std::min(known->low, with->low), std::max(known->high, with->high)} : *with;
  }

 private:
  std::vector<MaybeRange> ranges_;
};

void follow_jump(std::span<sock_filter> program, std::size_t at, Flow& flow) {
  const sock_filter jump = program[at];
  const Range range = *flow.at(at);
  const MaybeRange taken = where_true(jump, range);
  const MaybeRange not_taken = where_false(jump, range);
  flow.reach(at + 1 + jump.jt, taken);
  flow.reach(at + 1 + jump.jf, not_taken);
  if (!taken) program[at] = BPF_STMT(BPF_JMP | BPF_JA, jump.jf);
  if (!not_taken) program[at] = BPF_STMT(BPF_JMP | BPF_JA, jump.jt);
}

}  // namespace

void settle_branches(std::span<sock_filter> program) {
  if (program.empty()) return;
  Flow flow(program.size());
  for (std::size_t at = 0; at < program.size(); ++at) {
    const MaybeRange range = flow.at(at);
    if (!range) continue;
    const sock_filter& instruction = program[at];
    switch (instruction.code) {
      case BPF_RET | BPF_K:
        break;
      case BPF_JMP | BPF_JA:
        flow.reach(at + 1 + instruction.k, range);
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        flow.reach(at + 1, after_and(instruction.k, *range));
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
      case BPF_JMP | BPF_JGT | BPF_K:
      case BPF_JMP | BPF_JGE | BPF_K:
      case BPF_JMP | BPF_JSET | BPF_K:
        follow_jump(program, at, flow);
        break;
      default:
        flow.reach(at + 1, Range{});
        break;
    }
  }
}

}  // namespace jail
