#include "http/guard.h"

#include <gtest/gtest.h>

namespace http {
namespace {

const Names kNames{.hosts = {"cove.example.com", "192.0.2.7", "[2001:db8::7]"},
                   .domains = {"preview.example.com"},
                   .origins = {"https://console.example.com"}};

unsigned status_of(std::string_view host, std::optional<std::string_view> origin = std::nullopt) {
  const auto admission = admit(kNames, host, origin);
  return admission.refusal ? admission.refusal->status : 200;
}

TEST(Guard, AnswersToItsNames) {
  for (const auto* host : {"localhost", "LocalHost:7717", "127.0.0.1:7717", "[::1]:7717", "cove.example.com",
                           "Cove.Example.Com:443", "192.0.2.7", "[2001:db8::7]:1"})
    EXPECT_EQ(status_of(host), 200U) << host;
}

TEST(Guard, RefusesOtherNamesEvenOnLoopback) {
  for (const auto* host :
       {"evil.com", "evil.com:7717", "127.0.0.2", "127.1", "0.0.0.0", "2130706433", "0x7f.0.0.1", "[::]",
        "[::ffff:127.0.0.1]", "localhost.evil.com", "cove.example.com.evil.com", "xcove.example.com",
        "preview.example.com", "a.b.preview.example.com"})
    EXPECT_EQ(status_of(host), 421U) << host;
  for (const auto* host :
       {"", " ", "localhost:", "localhost:x", "localhost:123456", "user@localhost", "localhost/", "[::1",
        "::1", "a..b", "localhost.", "a_b", "localhost,evil.com", "\xc3\xbc.com"})
    EXPECT_EQ(status_of(host), 400U) << host;
}

TEST(Guard, KnowsTheLabelBelowAPreviewDomain) {
  const auto admission = admit(kNames, "8000-ab12.Preview.Example.Com:80", std::nullopt);
  EXPECT_FALSE(admission.refusal);
  EXPECT_EQ(admission.host.label, "8000-ab12");
  EXPECT_EQ(admission.host.name, "8000-ab12.preview.example.com");
  EXPECT_EQ(admission.host.text, "8000-ab12.preview.example.com:80");
  EXPECT_EQ(admit(kNames, "localhost", std::nullopt).host.label, "");
}

TEST(Guard, LetsOnlyItsOwnAndAllowedPagesCall) {
  EXPECT_EQ(status_of("localhost:7717", "http://localhost:7717"), 200U);
  EXPECT_EQ(status_of("cove.example.com", "https://cove.example.com"), 200U);
  EXPECT_EQ(status_of("localhost:7717", "https://console.example.com"), 200U);
  for (const auto* origin : {"null", "", "http://evil.com", "http://localhost", "http://localhost:7718",
                             "http://localhost:7717.evil.com", "https://console.example.com.evil.com",
                             "http://8000-a.preview.example.com", "file://"})
    EXPECT_EQ(status_of("localhost:7717", origin), 403U) << origin;
  // A user's program below a preview domain decides for itself.
  EXPECT_EQ(status_of("8000-a.preview.example.com", "http://evil.com"), 200U);
}

TEST(Guard, NamesHaveTheFormThatClientsSend) {
  EXPECT_TRUE(check_names(kNames));
  for (const auto* host : {"", "Upper.com", "a:1", "http://a", "a/", "*.a", "::1"})
    EXPECT_FALSE(check_names({.hosts = {host}})) << host;
  for (const auto* domain : {"", "*.a.com", ".a.com", "A.com"})
    EXPECT_FALSE(check_names({.domains = {domain}})) << domain;
  for (const auto* origin : {"", "*", "null", "a.com", "https://a.com/", "ftp://a.com", "HTTPS://a.com"})
    EXPECT_FALSE(check_names({.origins = {origin}})) << origin;
}

}  // namespace
}  // namespace http
