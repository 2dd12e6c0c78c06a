#include "sys/caps.h"

#include <linux/securebits.h>
#include <sys/prctl.h>

#include "sys/process.h"
#include "tests/support/in_child.h"
#include "tests/support/result.h"

namespace sys {
namespace {

using support::in_child;

// "CapEff" and the like, as the kernel tells it of this process.
Result<CapMask> told(const std::string& field) {
  ASSIGN_OR_RETURN(const auto status, read_file("/proc/self/status"));
  const std::size_t at = status.find(field + ":");
  if (at == std::string::npos) return base::fail(base::Code::kInternal, "no " + field);
  return std::strtoull(status.c_str() + at + field.size() + 1, nullptr, 16);
}

Result<> expect_told(const std::string& field, CapMask wanted) {
  ASSIGN_OR_RETURN(const auto mask, told(field));
  if (mask == wanted) return {};
  return base::fail(base::Code::kInternal, field + " is " + std::to_string(mask));
}

constexpr CapMask kThree = cap(5) | cap(6) | cap(7);

TEST(Caps, ExactlyTheNamedOnesAreLeft) {
  EXPECT_OK(in_child([]() -> Result<> {
    RETURN_IF_ERROR(limit_bounding_set(kThree | cap(0)));
    RETURN_IF_ERROR(set_capabilities(kThree, kThree, kThree));
    RETURN_IF_ERROR(set_ambient(kThree));
    RETURN_IF_ERROR(expect_told("CapEff", kThree));
    RETURN_IF_ERROR(expect_told("CapPrm", kThree));
    RETURN_IF_ERROR(expect_told("CapInh", kThree));
    RETURN_IF_ERROR(expect_told("CapAmb", kThree));
    return expect_told("CapBnd", kThree | cap(0));
  }));
}

TEST(Caps, NothingMeansNothing) {
  EXPECT_OK(in_child([]() -> Result<> {
    RETURN_IF_ERROR(limit_bounding_set(0));
    RETURN_IF_ERROR(set_capabilities(0, 0, 0));
    RETURN_IF_ERROR(set_ambient(0));
    for (const char* field : {"CapEff", "CapPrm", "CapInh", "CapAmb", "CapBnd"})
      RETURN_IF_ERROR(expect_told(field, 0));
    CHILD_EXPECT(!set_capabilities(cap(5), cap(5), 0));
    return {};  // and there is no way back
  }));
}

TEST(Caps, TheUpperHalfOfTheSetIsReached) {
  constexpr CapMask kHigh = cap(33) | cap(38);
  EXPECT_OK(in_child([]() -> Result<> {
    RETURN_IF_ERROR(set_capabilities(kHigh, kHigh, 0));
    return expect_told("CapEff", kHigh);
  }));
}

TEST(Caps, AmbientOnesSurviveAChangeOfIdWhenKept) {
  EXPECT_OK(in_child([]() -> Result<> {
    RETURN_IF_ERROR(keep_capabilities());
    RETURN_IF_ERROR(set_ids(4321, 4321));
    RETURN_IF_ERROR(set_capabilities(kThree, kThree, kThree));
    RETURN_IF_ERROR(set_ambient(kThree));
    return expect_told("CapEff", kThree);
  }));
}

TEST(Caps, LockedSecurebitsStay) {
  EXPECT_OK(in_child([]() -> Result<> {
    constexpr unsigned kBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED;
    RETURN_IF_ERROR(set_securebits(kBits));
    CHILD_EXPECT(::prctl(PR_GET_SECUREBITS) == static_cast<int>(kBits));
    CHILD_EXPECT(!set_securebits(0));
    return {};
  }));
}

}  // namespace
}  // namespace sys
