#include "store/sandboxes.h"

#include <set>

#include "tests/support/fresh_store.h"

namespace store {
namespace {

using base::Code;
using support::at;
using support::FailsSaying;
using support::FailsWith;
using support::FreshStore;
using testing::ElementsAre;
using testing::IsEmpty;

// The names of what a filter leaves, newest first.
std::vector<std::string> names(FreshStore& store, const SandboxFilter& filter) {
  const auto page = store->sandboxes().list(filter, {});
  EXPECT_OK(page);
  std::vector<std::string> out;
  for (const auto& row : page->items) out.push_back(row.name);
  return out;
}

TEST(Sandboxes, ReadAsTheyWereWritten) {
  FreshStore store;
  auto row = store.sandbox(store.default_team(), 5);
  row.owner_user = UserId::random();
  ASSERT_OK(store->sandboxes().insert(row));
  ASSERT_OK_AND_ASSIGN(const auto again, store->sandboxes().get(row.team, row.id));
  EXPECT_EQ(again.owner_key, row.owner_key);
  EXPECT_EQ(again.owner_user, row.owner_user);
  EXPECT_EQ(again.project, std::nullopt);
  EXPECT_EQ(again.name, row.name);
  EXPECT_EQ(again.labels, row.labels);
  EXPECT_EQ(again.template_name, "python");
  EXPECT_EQ(again.template_digest, row.template_digest);
  EXPECT_EQ(again.tier, "restricted");
  EXPECT_EQ(again.network, "none");
  EXPECT_EQ(again.limits.cpu_millis, 1500U);
  EXPECT_EQ(again.limits.memory_bytes, std::uint64_t{1} << 33);
  EXPECT_EQ(again.limits.disk_bytes, std::uint64_t{1} << 34);
  EXPECT_EQ(again.limits.max_processes, 256U);
  EXPECT_EQ(again.limits.timeout, std::chrono::seconds(60));
  EXPECT_EQ(again.created, at(5));
  EXPECT_EQ(again.expires, at(3605));
  EXPECT_EQ(again.idle_timeout, std::chrono::minutes(15));
  EXPECT_EQ(again.state, SandboxState::kCreating);
}

TEST(Sandboxes, GoFromCreatingToRunningToTheirFirstEnd) {
  FreshStore store;
  const auto row = store.sandbox(store.default_team());
  ASSERT_OK(store->sandboxes().insert(row));
  ASSERT_OK(store->sandboxes().set_running(row.id));
  EXPECT_EQ(store->sandboxes().live()->size(), 1U);
  ASSERT_OK(store->sandboxes().set_ended(row.id, "idle", at(7)));
  ASSERT_OK(store->sandboxes().set_ended(row.id, "deleted", at(8)));
  ASSERT_OK_AND_ASSIGN(const auto again, store->sandboxes().get(std::nullopt, row.id));
  EXPECT_EQ(again.state, SandboxState::kEnded);
  EXPECT_EQ(again.cause, "idle");
  EXPECT_EQ(again.ended, at(7));
  EXPECT_THAT(store->sandboxes().set_running(row.id), FailsWith(Code::kNotFound));
  EXPECT_THAT(*store->sandboxes().live(), IsEmpty());
}

TEST(Sandboxes, OfAnotherTeamAreNotThere) {
  FreshStore store;
  const auto row = store.sandbox(store.default_team());
  ASSERT_OK(store->sandboxes().insert(row));
  const auto other = store.team("other");
  EXPECT_THAT(store->sandboxes().get(other, row.id), FailsWith(Code::kNotFound));
  EXPECT_THAT(store->sandboxes().change(other, row.id, {.name = "mine"}), FailsWith(Code::kNotFound));
  EXPECT_THAT(names(store, {.team = other}), IsEmpty());
}

TEST(Sandboxes, ChangeOnlyWhatIsNamed) {
  FreshStore store;
  const auto row = store.sandbox(store.default_team());
  ASSERT_OK(store->sandboxes().insert(row));
  ASSERT_OK(store->sandboxes().change(row.team, row.id, {.expires = at(50)}));
  ASSERT_OK_AND_ASSIGN(const auto again,
                       store->sandboxes().change(row.team, row.id, {.labels = R"({"b":"2"})"}));
  EXPECT_EQ(again.expires, at(50));
  EXPECT_EQ(again.labels, R"({"b":"2"})");
  EXPECT_EQ(again.name, row.name);
  EXPECT_EQ(again.idle_timeout, row.idle_timeout);
  ASSERT_OK(store->sandboxes().set_ended(row.id, "deleted", at(1)));
  EXPECT_THAT(store->sandboxes().change(row.team, row.id, {.expires = at(60)}), FailsSaying("has ended"));
}

TEST(Sandboxes, LabelsAreAJsonObject) {
  FreshStore store;
  auto row = store.sandbox(store.default_team());
  for (const std::string& bad : {std::string("[]"), std::string("{"), std::string("1"), std::string(),
                                 "{\"a\":\"" + std::string(1 << 20, 'x') + "\"}"}) {
    row.labels = bad;
    EXPECT_THAT(store->sandboxes().insert(row), FailsWith(Code::kInvalid)) << bad.substr(0, 20);
  }
}

TEST(Sandboxes, AreListedByWhatIsAskedFor) {
  FreshStore store;
  const auto team = store.default_team();
  const auto user = UserId::random();
  for (int i = 0; i < 4; ++i) {
    auto row = store.sandbox(team, i);
    row.name = std::to_string(i);
    if (i == 1) row.owner_user = user;
    if (i == 2) row.template_name = "node";
    if (i == 2) row.tier = "open";
    if (i == 3) row.labels = R"({"a":"2","odd \"key\" $.x":"it's"})";
    ASSERT_OK(store->sandboxes().insert(row));
    if (i == 0) ASSERT_OK(store->sandboxes().set_ended(row.id, "expired", at(9)));
  }
  EXPECT_THAT(names(store, {}), ElementsAre("3", "2", "1", "0"));
  EXPECT_THAT(names(store, {.team = team, .state = SandboxState::kEnded}), ElementsAre("0"));
  EXPECT_THAT(names(store, {.tier = "open"}), ElementsAre("2"));
  EXPECT_THAT(names(store, {.template_name = "python"}), ElementsAre("3", "1", "0"));
  EXPECT_THAT(names(store, {.template_name = std::string(64, 'd')}), ElementsAre("3", "2", "1", "0"));
  EXPECT_THAT(names(store, {.owner = user.text()}), ElementsAre("1"));
  EXPECT_THAT(names(store, {.labels = {{"a", "1"}}}), ElementsAre("2", "1", "0"));
  EXPECT_THAT(names(store, {.labels = {{"a", "2"}, {"odd \"key\" $.x", "it's"}}}), ElementsAre("3"));
  EXPECT_THAT(names(store, {.labels = {{"a", "2"}, {"b", "2"}}}), IsEmpty());
  EXPECT_THAT(names(store, {.created_after = at(1), .created_before = at(3)}), ElementsAre("2"));
  EXPECT_THAT(names(store, {.tier = "' OR 1=1 --"}), IsEmpty());
  EXPECT_THAT(store->sandboxes().list({.labels = std::vector<Label>(17)}, {}), FailsWith(Code::kInvalid));
}

TEST(Sandboxes, PagesNeitherRepeatNorLoseWhenOthersComeAndGo) {
  FreshStore store;
  const auto team = store.default_team();
  std::set<std::string> made;
  std::vector<SandboxId> ids;
  for (int i = 0; i < 25; ++i) {
    // Many of one moment: the id decides.
    const auto row = store.sandbox(team, i / 10);
    ASSERT_OK(store->sandboxes().insert(row));
    made.insert(row.id.text());
    ids.push_back(row.id);
  }
  std::set<std::string> seen;
  PageRequest request{.limit = 4, .cursor = std::nullopt};
  for (int page_number = 0;; ++page_number) {
    ASSERT_OK_AND_ASSIGN(const auto page, store->sandboxes().list({.team = team}, request));
    for (const auto& row : page.items) EXPECT_TRUE(seen.insert(row.id.text()).second);
    if (!page.next) break;
    request.cursor = page.next;
    ASSERT_OK(store->sandboxes().insert(store.sandbox(team, 100 + page_number)));
    ASSERT_OK(store->sandboxes().erase(page.items.back().id));
  }
  EXPECT_EQ(seen, made);
}

TEST(Sandboxes, LongEndedOnesAreForgotten) {
  FreshStore store;
  const auto old = store.sandbox(store.default_team());
  const auto young = store.sandbox(store.default_team());
  const auto alive = store.sandbox(store.default_team());
  for (const auto& row : {old, young, alive}) ASSERT_OK(store->sandboxes().insert(row));
  ASSERT_OK(store->sandboxes().set_ended(old.id, "idle", at(1)));
  ASSERT_OK(store->sandboxes().set_ended(young.id, "idle", at(10)));
  EXPECT_EQ(*store->sandboxes().erase_ended_before(at(5)), 1);
  EXPECT_THAT(store->sandboxes().get(std::nullopt, old.id), FailsWith(Code::kNotFound));
  EXPECT_OK(store->sandboxes().get(std::nullopt, young.id));
  EXPECT_OK(store->sandboxes().get(std::nullopt, alive.id));
}

}  // namespace
}  // namespace store
