#include "store/teams.h"

#include "tests/support/fresh_store.h"

namespace store {
namespace {

using base::Code;
using support::at;
using support::FailsSaying;
using support::FailsWith;
using support::FreshStore;
using testing::ElementsAre;

template <class T>
std::vector<std::string> names_of(const std::vector<T>& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

Key some_key(const TeamId& team, std::optional<UserId> user) {
  return {.id = KeyId::random(),
          .team = team,
          .user = std::move(user),
          .scope = Scope::kTeam,
          .hash = std::string(32, 'h'),
          .created = at(0)};
}

TEST(Teams, AreFoundByNameAndById) {
  FreshStore store;
  ASSERT_OK_AND_ASSIGN(const auto team, store->teams().create("research", at(5)));
  for (const auto& word : {team.name, team.id.text()}) {
    ASSERT_OK_AND_ASSIGN(const auto found, store->teams().find(word));
    EXPECT_EQ(found.id, team.id);
    EXPECT_EQ(found.created, at(5));
  }
  EXPECT_OK(store->teams().get(team.id));
  EXPECT_THAT(store->teams().find("nobody"), FailsSaying("'nobody'"));
  EXPECT_THAT(store->teams().find("\x1b[1m"), FailsSaying("no such team"));
}

TEST(Teams, ANameThatIsAnIdDoesNotHideTheTeamOfThatId) {
  FreshStore store;
  const auto first = store.team("first");
  ASSERT_OK(store->teams().create(first.text(), at(0)));
  EXPECT_EQ(store->teams().find(first.text())->id, first);
}

TEST(Teams, ANameIsTakenOnce) {
  FreshStore store;
  ASSERT_OK(store->teams().create("a", at(0)));
  EXPECT_THAT(store->teams().create("a", at(0)), FailsSaying("already a team 'a'"));
  EXPECT_THAT(store->teams().create("", at(0)), FailsWith(Code::kInvalid));
}

TEST(Teams, ListsGoOnWhereThePageBeforeEnded) {
  FreshStore store;
  for (int i = 1; i <= 5; ++i) ASSERT_OK(store->teams().create("t" + std::to_string(i), at(i / 2)));
  std::vector<std::string> all;
  PageRequest request{.limit = 2, .cursor = std::nullopt};
  for (int pages = 1;; ++pages) {
    ASSERT_OK_AND_ASSIGN(const auto page, store->teams().list(request));
    EXPECT_LE(page.items.size(), 2U);
    for (const auto& name : names_of(page.items)) all.push_back(name);
    if (!page.next) {
      EXPECT_EQ(pages, 3);
      break;
    }
    request.cursor = page.next;
  }
  EXPECT_THAT(all, testing::UnorderedElementsAre("t1", "t2", "t3", "t4", "t5", "default"));
  EXPECT_THAT(std::vector(all.begin(), all.begin() + 2), testing::UnorderedElementsAre("t4", "t5"));
}

TEST(Teams, AWrongPageIsRefused) {
  FreshStore store;
  EXPECT_THAT(store->teams().list({.limit = 0}), FailsWith(Code::kInvalid));
  EXPECT_THAT(store->teams().list({.limit = kMaxPage + 1}), FailsWith(Code::kInvalid));
  EXPECT_THAT(store->teams().list({.cursor = "garbage"}), FailsWith(Code::kInvalid));
}

TEST(Teams, GoWithAllTheyHave) {
  FreshStore store;
  const auto team = store.team("a");
  ASSERT_OK_AND_ASSIGN(const auto user, store->users().create(team, "ada", at(0)));
  ASSERT_OK_AND_ASSIGN(const auto project, store->projects().create(team, "p", at(0)));
  ASSERT_OK(store->projects().put_member(project, user.id, Role::kRun, at(0)));
  const auto key = some_key(team, user.id);
  ASSERT_OK(store->keys().insert(key));
  auto sandbox = store.sandbox(team);
  sandbox.project = project.id;
  ASSERT_OK(store->sandboxes().insert(sandbox));
  ASSERT_OK(store->idempotency().begin({team, "k", "h"}, at(0)));
  EXPECT_THAT(store->teams().remove(team), FailsSaying("sandboxes that live"));
  ASSERT_OK(store->sandboxes().set_ended(sandbox.id, "deleted", at(1)));
  ASSERT_OK(store->teams().remove(team));
  EXPECT_THAT(store->keys().get(key.id), FailsWith(Code::kNotFound));
  EXPECT_THAT(store->sandboxes().get(std::nullopt, sandbox.id), FailsWith(Code::kNotFound));
  EXPECT_THAT(store->teams().remove(team), FailsWith(Code::kNotFound));
}

TEST(Users, BelongToTheirTeamAlone) {
  FreshStore store;
  const auto a = store.team("a");
  const auto b = store.team("b");
  ASSERT_OK_AND_ASSIGN(const auto user, store->users().create(a, "ada", at(0)));
  EXPECT_OK(store->users().create(b, "ada", at(0)));
  EXPECT_THAT(store->users().create(a, "ada", at(0)), FailsWith(Code::kConflict));
  EXPECT_THAT(store->users().get(b, user.id), FailsWith(Code::kNotFound));
  EXPECT_THAT(store->users().remove(b, user.id), FailsWith(Code::kNotFound));
  EXPECT_THAT(names_of(store->users().list(a, {})->items), ElementsAre("ada"));
  EXPECT_EQ(store->users().find(a, "ada")->id, user.id);
  EXPECT_THAT(store->users().create(TeamId::random(), "ada", at(0)), FailsWith(Code::kConflict));
}

TEST(Users, TakeTheirKeysWithThemAndLeaveTheirSandboxes) {
  FreshStore store;
  const auto team = store.team("a");
  ASSERT_OK_AND_ASSIGN(const auto user, store->users().create(team, "ada", at(0)));
  const auto key = some_key(team, user.id);
  ASSERT_OK(store->keys().insert(key));
  auto sandbox = store.sandbox(team);
  sandbox.owner_user = user.id;
  ASSERT_OK(store->sandboxes().insert(sandbox));
  ASSERT_OK(store->users().remove(team, user.id));
  EXPECT_THAT(store->keys().get(key.id), FailsWith(Code::kNotFound));
  EXPECT_EQ(store->sandboxes().get(team, sandbox.id)->owner_user, user.id);
}

TEST(Projects, HaveMembersOfTheirTeamWithRoles) {
  FreshStore store;
  const auto team = store.team("a");
  ASSERT_OK_AND_ASSIGN(const auto project, store->projects().create(team, "p", at(0)));
  ASSERT_OK_AND_ASSIGN(const auto ada, store->users().create(team, "ada", at(0)));
  ASSERT_OK_AND_ASSIGN(const auto bob, store->users().create(team, "bob", at(0)));
  ASSERT_OK_AND_ASSIGN(const auto stranger, store->users().create(store.team("b"), "eve", at(0)));
  ASSERT_OK(store->projects().put_member(project, bob.id, Role::kRun, at(1)));
  ASSERT_OK(store->projects().put_member(project, ada.id, Role::kRun, at(2)));
  ASSERT_OK(store->projects().put_member(project, ada.id, Role::kEdit, at(3)));
  EXPECT_THAT(store->projects().put_member(project, stranger.id, Role::kRun, at(3)),
              FailsWith(Code::kNotFound));
  ASSERT_OK_AND_ASSIGN(const auto members, store->projects().members(project));
  EXPECT_THAT(names_of(members), ElementsAre("ada", "bob"));
  EXPECT_EQ(members[0].role, Role::kEdit);
  EXPECT_EQ(*store->projects().role(project.id, bob.id), Role::kRun);
  ASSERT_OK(store->projects().remove_member(project, bob.id));
  EXPECT_EQ(*store->projects().role(project.id, bob.id), std::nullopt);
  EXPECT_THAT(store->projects().remove_member(project, bob.id), FailsWith(Code::kNotFound));
}

TEST(Projects, StayWhileTheirSandboxesLive) {
  FreshStore store;
  const auto team = store.team("a");
  ASSERT_OK_AND_ASSIGN(const auto project, store->projects().create(team, "p", at(0)));
  auto sandbox = store.sandbox(team);
  sandbox.project = project.id;
  ASSERT_OK(store->sandboxes().insert(sandbox));
  EXPECT_THAT(store->projects().remove(team, project.id), FailsWith(Code::kConflict));
  EXPECT_THAT(store->projects().remove(store.team("b"), project.id), FailsWith(Code::kNotFound));
  ASSERT_OK(store->sandboxes().set_ended(sandbox.id, "idle", at(1)));
  ASSERT_OK(store->projects().remove(team, project.id));
  EXPECT_EQ(store->sandboxes().get(team, sandbox.id)->project, std::nullopt);
  EXPECT_THAT(names_of(store->projects().list(team, {})->items), testing::IsEmpty());
}

}  // namespace
}  // namespace store
