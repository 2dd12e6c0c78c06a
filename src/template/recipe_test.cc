#include "template/recipe.h"

#include <gtest/gtest.h>

#include "sys/file.h"

namespace templates {
namespace {

constexpr std::string_view kWhole = R"(# a comment
suite = trixie

[packages]
python3
g++
git=1:2.47-1

[exclude]
/usr/share/man/*

[user]
name = ada
uid = 2000
home = /home/ada

[environment]
LANG = C.UTF-8
OPTS = a=b c

[directory /home/ada/bin 0750]
[file /etc/x.conf 0600]
| [section]
|
|   indented
|	tab

[run]
echo 'one = two' > /etc/greeting
)";

std::string error_of(std::string_view text) {
  const auto recipe = parse_recipe(text, "r");
  return recipe ? "(parsed)" : recipe.error().message;
}

TEST(Recipe, HoldsEverySection) {
  const auto recipe = parse_recipe(kWhole, "r");
  ASSERT_TRUE(recipe) << recipe.error().message;
  EXPECT_EQ(recipe->suite, "trixie");
  EXPECT_EQ(recipe->packages, (std::vector<std::string>{"python3", "g++", "git=1:2.47-1"}));
  EXPECT_EQ(recipe->exclude, std::vector<std::string>{"/usr/share/man/*"});
  EXPECT_EQ(recipe->user.name, "ada");
  EXPECT_EQ(recipe->user.uid, 2000U);
  EXPECT_EQ(recipe->environment, (Environment{{"LANG", "C.UTF-8"}, {"OPTS", "a=b c"}}));
  ASSERT_EQ(recipe->directories.size(), 1U);
  EXPECT_EQ(recipe->directories[0].mode, 0750U);
  ASSERT_EQ(recipe->files.size(), 1U);
  EXPECT_EQ(recipe->files[0].content, "[section]\n\n  indented\n\ttab\n");
  EXPECT_EQ(recipe->run, std::vector<std::string>{"echo 'one = two' > /etc/greeting"});
}

TEST(Recipe, ErrorsNameTheLine) {
  EXPECT_EQ(error_of("suite = trixie\nflavour = sweet\n"), "r:2: unknown key flavour");
  EXPECT_EQ(error_of("suite = trixie\n\n[pakages]\n"), "r:3: unknown section [pakages]");
  EXPECT_EQ(error_of("suite = trixie\n[user]\nshell = zsh\n"), "r:3: unknown key shell");
  EXPECT_EQ(error_of("[packages]\ngit\n"), "r:2: no 'suite = …' and no 'from = …'");
}

TEST(Recipe, RefusesWhatIsNotPlain) {
  const std::string suite = "suite = trixie\n";
  for (const std::string bad : {
           "suite = ../x\n",
           "suite = trixie\x01\n",
           "suite = trixie\r\n",
           "suite = a\nsuite = b\n",
       }) {
    EXPECT_NE(error_of(bad), "(parsed)") << bad;
  }
  for (const std::string bad : {
           "[packages]\n--allow\n",
           "[packages]\ngit-\n",
           "[packages]\n?all\n",
           "[packages]\ngit curl\n",
           "[packages]\ngit\ngit\n",
           "[packages]\n[packages]\n",
           "[exclude]\nusr/share\n",
           "[exclude]\n/a\"b\n",
           "[user]\nname = Root!\n",
           "[user]\nname = root\n",
           "[user]\nuid = 0\n",
           "[user]\nuid = 70000\n",
           "[user]\nhome = /etc\n",
           "[user]\nhome = /home/a:b\n",
           "[environment]\n1A = x\n",
           "[environment]\nA = x\nA = y\n",
           "[file /etc/../x 0644]\n",
           "[file etc/x 0644]\n",
           "[file /etc/x 4755]\n",
           "[file /etc/x 9]\n",
           "[file /etc/x]\n",
           "[file /proc/x 0644]\n",
           "[file /workspace/x 0644]\n",
           "[file /etc/x 0644]\nno bar\n",
           "[file /etc/x 0644]\n| a\x02\n",
           "[file /etc/x 0644]\n[file /etc/x 0644]\n",
           "[directory /etc/x 0755]\n| text\n",
       }) {
    EXPECT_NE(error_of(suite + bad), "(parsed)") << bad;
  }
  EXPECT_NE(error_of(suite + std::string(kMaxRecipeBytes, '#')), "(parsed)");
}

TEST(Recipe, RefusesWhatAptAShellOrAPathWouldObey) {
  for (const std::string bad : {
           "[environment]\nA = \xff\n",
           "[environment]\nA = \u009b2J\n",
           "[packages]\ngit;reboot\n",
           "[packages]\n$(reboot)\n",
           "[packages]\n`reboot`\n",
           "[packages]\ngit|sh\n",
           "[packages]\ngit=1;sh\n",
           "[packages]\ngit=\n",
           "[packages]\n-o=Dir::Bin=/x\n",
           "[packages]\n./evil.deb\n",
           "[packages]\n/evil.deb\n",
           "[packages]\ngit:amd64\n",
           "[packages]\ngit/sid\n",
           "[exclude]\n/../etc\n",
           "[exclude]\n/etc/..\n",
           "[exclude]\n/a\\nb\n",
           "[exclude]\n--x\n",
           "[user]\nhome = /home/../etc\n",
           "[user]\nhome = /home/\n",
           "[user]\nname = -x\n",
           "[directory /home/user/../../etc 0755]\n",
           "[directory / 0755]\n",
           "[tree]\n",
           "[tree /opt/x]\n",
           "[tree /opt/x ../y]\n",
           "[tree /opt/x /y]\n",
           "[tree opt/x y]\n",
           "[tree /opt/../x y]\n",
           "[tree /proc/x y]\n",
           "[tree /opt/x y z]\n",
           "[tree /opt/x y]\n[tree /opt/x z]\n",
           "[tree /opt/x y]\n| text\n",
           "[pip]\n",
           "[pip ]\n",
           "[pip ../x.lock]\n",
           "[pip /x.lock]\n",
           "[pip .lock]\n",
           "[pip -r]\n",
           "[pip a b]\n",
           "[pip x.lock]\n[pip y.lock]\n",
           "[pip x.lock]\nnumpy\n",
           "[pip x.lock /opt/x]\n",
           "[npm]\n",
           "[npm ../x.lock]\n",
           "[npm /opt/x]\n",
           "[npm x.lock opt/x]\n",
           "[npm x.lock /opt/../x]\n",
           "[npm x.lock /proc/x]\n",
           "[npm x.lock /opt/$(reboot)]\n",
           "[npm x.lock /opt/x /opt/y]\n",
           "[npm x.lock /opt/x]\n[npm y.lock]\n",
       }) {
    EXPECT_NE(error_of("suite = trixie\n" + bad), "(parsed)") << bad;
  }
}

TEST(Recipe, BeginsWithASuiteOrWithATemplate) {
  const auto recipe = parse_recipe("from = base\n[environment]\nA = b\n", "r");
  ASSERT_TRUE(recipe) << recipe.error().message;
  EXPECT_EQ(recipe->from, "base");
  EXPECT_EQ(recipe->suite, "");
  EXPECT_TRUE(parse_recipe("from = " + std::string(64, 'a') + "\n", "r")) << "a digest";
  EXPECT_EQ(error_of("from = base\nsuite = trixie\n"),
            "r:2: both 'suite' and 'from': one of them is what to begin with");
  for (const std::string decided : {"[packages]", "[exclude]", "[user]"}) {
    EXPECT_EQ(error_of("from = base\n" + decided + "\n"),
              "r:2: " + decided + " is decided by base: it goes with 'suite', not with 'from'");
  }
  for (const std::string bad : {"../base", "", "a/b", "Base", "trash.1", "-x"}) {
    EXPECT_NE(error_of("from = " + bad + "\n"), "(parsed)") << bad;
  }
  EXPECT_NE(error_of("from = a\nfrom = b\n"), "(parsed)");
}

TEST(Recipe, NpmPackagesAreForEverybodyOrForOneDirectory) {
  const auto everybody = parse_recipe("suite = trixie\n[npm x.lock]\n", "r");
  const auto directory = parse_recipe("suite = trixie\n[npm x.lock  /usr/lib/x-1.0]\n", "r");
  ASSERT_TRUE(everybody && directory);
  EXPECT_EQ(everybody->npm.path, "");
  EXPECT_EQ(directory->npm.file, "x.lock");
  EXPECT_EQ(directory->npm.path, "/usr/lib/x-1.0");
  EXPECT_NE(recipe_digest(*everybody), recipe_digest(*directory));
}

TEST(Recipe, DigestFollowsMeaningAndNotComments) {
  const auto one = parse_recipe("suite = trixie\n[packages]\ngit\n", "r");
  const auto same = parse_recipe("# why\nsuite=trixie\n\n[packages]\n  git\n", "r");
  const auto other = parse_recipe("suite = trixie\n[exclude]\n/git\n", "r");
  ASSERT_TRUE(one && same && other);
  EXPECT_EQ(recipe_digest(*one), recipe_digest(*same));
  EXPECT_NE(recipe_digest(*one), recipe_digest(*other));
}

}  // namespace
}  // namespace templates
