// Archives made byte by byte, as no honest program writes them: tar and zip whose fields lie, and bombs. Each
// is refused, or what comes out of it stays where it belongs; how much memory that takes has a bound.
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "files/tree_walk.h"
#include "files/unpack.h"
#include "tests/support/archives.h"
#include "tests/support/memory_of.h"

namespace files {
namespace {

using support::archive_of;
using support::Made;
using testing::AnyOf;
using testing::HasSubstr;
using wire::file::Format;
using wire::file::Unpack;

constexpr std::size_t kMostMemory = 64 << 20;

// One member of a tar: a header as it stands in the file, and what follows.
struct Raw {
  std::string name = "a";
  char type = '0';
  std::string size = {};  // as it stands there; empty: the content's
  std::string content = {};
  std::string link = {};
};

std::string octal(std::uint64_t value) {
  std::string digits(12, '\0');
  for (int i = 10; i >= 0; --i, value /= 8)
    digits[static_cast<std::size_t>(i)] = static_cast<char>('0' + value % 8);
  return digits;
}

// A size as GNU writes those that have no room: eight bytes behind a mark.
std::string binary(std::uint64_t value, char mark = '\x80') {
  std::string bytes(12, mark == '\x80' ? '\0' : mark);
  bytes[0] = mark;
  for (std::size_t i = 11; i > 3; --i, value >>= 8) bytes[i] = static_cast<char>(value & 0xff);
  return bytes;
}

std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + 511) / 512 * 512);
  return bytes;
}

std::string header_of(const Raw& raw, const std::string& sparse = {}) {
  std::string header(512, '\0');
  header.replace(0, std::min<std::size_t>(100, raw.name.size()), raw.name.substr(0, 100));
  header.replace(100, 8, std::string("0000644\0", 8));
  header.replace(124, 12, raw.size.empty() ? octal(raw.content.size()) : raw.size);
  header.replace(136, 12, octal(1));
  header[156] = raw.type;
  header.replace(157, raw.link.size(), raw.link);
  header.replace(257, 8,
                 std::string(sparse.empty() ? "ustar\0"
                                              "00"
                                            : "ustar  \0",
                             8));
  if (!sparse.empty()) header.replace(386, sparse.size(), sparse);
  header.replace(148, 8, "        ");
  std::uint64_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  header.replace(148, 7, octal(sum).substr(5, 6) + '\0');
  return header;
}

std::string tar_of(const std::vector<Raw>& members) {
  std::string bytes;
  for (const Raw& raw : members) bytes += header_of(raw) + padded(raw.content);
  return bytes + std::string(1024, '\0');
}

std::string record(const std::string& key, const std::string& value) {
  std::size_t size = key.size() + value.size() + 3;
  while (std::to_string(size).size() + key.size() + value.size() + 3 != size) ++size;
  return std::to_string(size) + " " + key + "=" + value + "\n";
}

Raw pax(const std::string& records) { return {.name = "pax", .type = 'x', .content = records}; }
Raw long_name(std::string name) { return {.name = "././@LongLink", .type = 'L', .content = name + '\0'}; }

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (; bytes > 0; --bytes, value >>= 8) text += static_cast<char>(value & 0xff);
  return text;
}

// One member of a zip, stored, and what its two headers say of it.
struct Zipped {
  std::string name = "a";
  std::string content = "hello";
  std::string local_name = {};  // empty: the same
  std::uint32_t mode = 0100644;
  std::uint32_t flags = 0;
  std::optional<std::uint32_t> size = {};  // both sizes, in both headers
  std::optional<std::uint32_t> central_size = {};
  std::optional<std::uint32_t> offset = {};
};

std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<unsigned>(bytes.size())));
}

std::string zip_end(std::size_t entries, std::size_t directory, std::size_t at) {
  const auto count = little(std::min<std::size_t>(entries, 0xffff), 2);
  return std::string("PK\5\6") + little(0, 4) + count + count + little(directory, 4) + little(at, 4) +
         little(0, 2);
}

// What both headers have in common: flags, method, time, checksum, sizes.
std::string common_of(std::uint32_t flags, std::uint32_t crc, std::uint64_t size) {
  return little(flags, 2) + little(0, 2) + little(0x21, 4) + little(crc, 4) + little(size, 4) +
         little(size, 4);
}
std::string local_header(const std::string& common, const std::string& name) {
  return "PK\3\4" + little(20, 2) + common + little(name.size(), 2) + little(0, 2) + name;
}
std::string central_header(const std::string& common, const std::string& name, std::uint64_t mode,
                           std::size_t at) {
  return "PK\1\2" + little(0x0314, 2) + little(20, 2) + common + little(name.size(), 2) + little(0, 8) +
         little(mode << 16, 4) + little(at, 4) + name;
}

std::string zip_of(const std::vector<Zipped>& members) {
  std::string bytes;
  std::string directory;
  for (const Zipped& one : members) {
    const auto size = one.size.value_or(static_cast<std::uint32_t>(one.content.size()));
    const auto crc = crc_of(one.content);
    directory += central_header(common_of(one.flags, crc, one.central_size.value_or(size)), one.name,
                                one.mode, one.offset.value_or(static_cast<std::uint32_t>(bytes.size())));
    bytes +=
        local_header(common_of(one.flags, crc, size), one.local_name.empty() ? one.name : one.local_name) +
        one.content;
  }
  return bytes + directory + zip_end(members.size(), directory.size(), bytes.size());
}

// Each member's bytes are all that follows its header: the next member's header and bytes.
std::string overlapping_zip(std::size_t members, std::string tail) {
  std::vector<std::string> commons(members);
  for (std::size_t i = members; i-- > 0;) {
    commons[i] = common_of(0, crc_of(tail), tail.size());
    tail.insert(0, local_header(commons[i], std::to_string(10'000 + i)));
  }
  std::string directory;
  for (std::size_t i = 0; i < members; ++i)
    directory += central_header(commons[i], std::to_string(10'000 + i), 0100644, i * 35);
  return tail + directory + zip_end(members, directory.size(), tail.size());
}

class Inspector : public Visitor {
 public:
  Result<Next> enter(const Met& met) override {
    const mode_t mode = met.status.st_mode;
    EXPECT_TRUE(S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode)) << met.path;
    EXPECT_EQ(mode & 07000, 0U) << met.path;
    paths.push_back(met.path);
    return Next::kGoIn;
  }
  std::vector<std::string> paths;
};

class HostileArchiveTest : public support::ArchiveTest {
 protected:
  // What came out, all of it below where it belongs; "(refused)" when nothing did.
  std::vector<std::string> contained(const std::string& bytes, const Unpack& request = {}) {
    const auto answer = unpack(bytes, request);
    EXPECT_EQ(text_of("victim"), "victim");
    EXPECT_EQ(sys::fstatat(AT_FDCWD, victim_)->st_nlink, 1U);
    const auto beside = sys::entries(dir_.path()).value();
    if (answer.failed) {
      EXPECT_THAT(beside, testing::ElementsAre("victim"));
      return {"(refused)"};
    }
    EXPECT_THAT(beside, testing::UnorderedElementsAre("to", "victim"));
    Inspector inspector;
    EXPECT_OK(walk_tree(sys::open(dir_ / "to", O_RDONLY | O_DIRECTORY).value().get(), inspector));
    EXPECT_FALSE(worker_.ask(wire::file::Remove{.path = dir_ / "to", .tree = 1}).failed);
    return inspector.paths;
  }

  // What libarchive does with it when nobody forbids anything: the attack without the mechanisms.
  void extract_carelessly(const std::string& bytes) {
    const Archive reader(::archive_read_new());
    ::archive_read_support_format_all(reader.get());
    ASSERT_EQ(::archive_read_open_memory(reader.get(), bytes.data(), bytes.size()), ARCHIVE_OK);
    archive_entry* member = nullptr;
    while (::archive_read_next_header(reader.get(), &member) == ARCHIVE_OK) {
      const std::string name = ::archive_entry_pathname(member);
      const char* const link = ::archive_entry_hardlink(member);
      const std::string target = link != nullptr ? careless(link) : "";
      ::archive_entry_set_pathname(member, careless(name).c_str());
      if (link != nullptr) ::archive_entry_set_hardlink(member, target.c_str());
      (void)::archive_read_extract(reader.get(), member, ARCHIVE_EXTRACT_PERM);
    }
  }
  std::size_t memory_ = 0;  // of the last one
  std::string careless(const std::string& name) const {
    return name.starts_with('/') ? name : dir_ / "to/" + name;
  }

  void expect_bounded(const std::string& bytes, const Unpack& request,
                      const testing::Matcher<std::string>& why) {
    std::string said;
    const std::size_t memory = support::memory_of([&] { said = refusal(bytes, request); });
    EXPECT_THAT(said, why);
    if (support::kMemoryIsOurs) EXPECT_LT(memory, kMostMemory);
    memory_ = memory;
  }
};

TEST_F(HostileArchiveTest, ControlWithoutOurRulesTheVictimIsHit) {
  const std::vector<std::string> attacks{
      tar_of({{.name = "../victim", .content = "hit"}}), tar_of({{.name = victim_, .content = "hit"}}),
      tar_of({{.name = "l", .type = '2', .link = ".."}, {.name = "l/victim", .content = "hit"}}),
      zip_of({{.name = "../victim", .content = "hit"}}),
      zip_of({{.name = "l", .content = "..", .mode = 0120777}, {.name = "l/victim", .content = "hit"}})};
  for (const auto& bytes : attacks) {
    ASSERT_OK(sys::mkdirat(AT_FDCWD, dir_ / "to", 0755));
    extract_carelessly(bytes);
    EXPECT_EQ(text_of("victim"), "hit") << (&bytes - attacks.data());
    ASSERT_FALSE(worker_.ask(wire::file::Remove{.path = dir_ / "to", .tree = 1}).failed);
    ASSERT_EQ(::unlink(victim_.c_str()), 0);
    make("victim", "victim");
    EXPECT_NE(refusal(bytes, {.format = bytes.starts_with("PK") ? Format::kZip : Format::kTar}),
              "(unpacked)");
  }
}

TEST_F(HostileArchiveTest, ControlWithoutOurRulesLinksFifosAndSetIdBitsComeOut) {
  ASSERT_OK(sys::mkdirat(AT_FDCWD, dir_ / "to", 0755));
  extract_carelessly(tar_of({{.name = "h", .type = '1', .link = "../victim"}, {.name = "f", .type = '6'}}));
  EXPECT_EQ(sys::fstatat(AT_FDCWD, victim_)->st_nlink, 2U);
  EXPECT_TRUE(S_ISFIFO(sys::fstatat(AT_FDCWD, dir_ / "to/f")->st_mode));
  extract_carelessly(archive_of({{.path = "s", .mode = 06755}}));
  EXPECT_EQ(sys::fstatat(AT_FDCWD, dir_ / "to/s")->st_mode & 06000, 06000U);
}

TEST_F(HostileArchiveTest, TwoNamesForOneMemberLeadNowhere) {
  // Of the ways to say a name the last one may win; whichever does, it is judged.
  for (const std::string bad : {"../victim", victim_.c_str(), "a/../../victim"}) {
    const Raw file{.name = "good", .content = "x"};
    for (const auto& members : std::vector<std::vector<Raw>>{
             {pax(record("path", bad)), file},
             {long_name(bad), file},
             {pax(record("path", "fine")), long_name(bad), file},
             {long_name(bad), pax(record("path", "fine")), file},
             {pax(record("path", "fine") + record("path", bad)), file},
             {{.name = "g", .type = 'g', .content = record("path", bad)}, file},
             {pax(record("linkpath", bad)), {.name = "h", .type = '1', .link = "good"}},
             {{.name = "././@LongLink", .type = 'K', .content = bad + '\0'},
              {.name = "h", .type = '1', .link = "x"}}}) {
      for (const auto& path : contained(tar_of(members))) {
        EXPECT_THAT(path, AnyOf("(refused)", "fine", "good", HasSubstr("LongLink"), HasSubstr("pax"), "g"));
      }
    }
  }
}

TEST_F(HostileArchiveTest, SizesThatLieAreRefused) {
  for (const auto& size :
       {binary(UINT64_MAX, '\xff'), binary(std::uint64_t{1} << 62), binary(std::uint64_t{1} << 40),
        octal(077777777777), std::string("-0000000001\0", 12), std::string("zzzzzzzzzzz\0", 12)}) {
    const auto paths = contained(tar_of({{.size = size, .content = "abc"}, {.name = "b"}}));
    EXPECT_THAT(paths, testing::Not(testing::Contains("b"))) << testing::PrintToString(size);
  }
  EXPECT_NE(refusal(tar_of({pax(record("size", "999999999999")), {.content = "abc"}})), "(unpacked)");
  EXPECT_NE(refusal(tar_of({pax("99999999 path=x\n"), {.content = "abc"}})), "(unpacked)");
  EXPECT_NE(refusal(tar_of({pax("0 path=x\n"), {.content = "abc"}})), "(unpacked)");
}

TEST_F(HostileArchiveTest, AnArchiveCutAnywhereLeavesNothingOrAWholeBeginning) {
  const auto tar = archive_of(
      {{.path = "d/a", .content = std::string(700, 'a')}, {.path = "l", .type = AE_IFLNK, .link = "d"}});
  const auto gzip = archive_of({{.path = "a", .content = std::string(5000, 'a')}}, Format::kTarGzip);
  const auto zip = zip_of({{.name = "a"}, {.name = "b", .content = std::string(300, 'b')}});
  for (std::size_t cut = 1; cut + 1024 < tar.size(); cut += 61) (void)contained(tar.substr(0, cut));
  for (std::size_t cut = 1; cut < gzip.size(); cut += 3) {
    EXPECT_NE(refusal(gzip.substr(0, cut), {.format = Format::kTarGzip}), "(unpacked)") << cut;
  }
  for (std::size_t cut = 1; cut < zip.size(); cut += 7) {
    EXPECT_NE(refusal(zip.substr(0, cut), {.format = Format::kZip}), "(unpacked)") << cut;
  }
}

TEST_F(HostileArchiveTest, HolesCountAsBytes) {
  const std::string map = "1\n1099511627775\n1\n";
  const auto sparse =
      tar_of({pax(record("GNU.sparse.major", "1") + record("GNU.sparse.minor", "0") +
                  record("GNU.sparse.name", "hole") + record("GNU.sparse.realsize", "1099511627776")),
              {.content = padded(map) + "x"}});
  EXPECT_THAT(refusal(sparse), HasSubstr("bytes"));
  // The old way: the map is in the header.
  const Raw old{.type = 'S', .content = "x"};
  const std::string in_header =
      octal(0777777777) + octal(1) + std::string(72, '\0') + '\0' + binary(std::uint64_t{1} << 40);
  EXPECT_THAT(refusal(header_of(old, in_header) + padded(old.content) + std::string(1024, '\0')),
              HasSubstr("bytes"));
}

TEST_F(HostileArchiveTest, OddNamesArriveAsTheyAreOrNotAtAll) {
  for (const std::string name :
       {"new\nline", "\x1b[31m", "\xff\xfe", "a\\..\\b", " ", "...", "~", "-rf", "con:"}) {
    EXPECT_THAT(contained(tar_of({{.name = name, .content = "x"}})),
                AnyOf(testing::ElementsAre(name), testing::ElementsAre("(refused)")))
        << testing::PrintToString(name);
    EXPECT_THAT(contained(tar_of({pax(record("path", name)), {.content = "x"}})),
                AnyOf(testing::ElementsAre(name), testing::ElementsAre("(refused)")))
        << testing::PrintToString(name);
  }
  for (const auto& path :
       contained(tar_of({pax(record("path", std::string("a\0/../../victim", 15))), {.content = "x"}}))) {
    EXPECT_THAT(path, AnyOf("a", "(refused)"));
  }
  for (const std::string& name :
       {std::string("..\\victim"), std::string("a\0b", 3), std::string("\xff"), std::string("C:\\x")}) {
    for (const auto& path : contained(zip_of({{.name = name}}), {.format = Format::kZip})) {
      EXPECT_EQ(path.find(".."), path.find("..\\")) << "nothing that goes up";
    }
  }
}

TEST_F(HostileArchiveTest, NamesOfMegabytesTakeNoMemory) {
  const std::string name(16 << 20, 'n');
  for (const auto& members : std::vector<std::vector<Raw>>{
           {long_name(name), {.content = "x"}},
           {pax(record("path", name)), {.content = "x"}},
           {pax(record("comment", name)), {.name = "b", .type = 'z'}, {.type = '6'}},
           {{.name = "././@LongLink", .type = 'K', .content = name}, {.name = "h", .type = '2'}}}) {
    expect_bounded(tar_of(members), {}, testing::Ne("(unpacked)"));
  }
}

TEST_F(HostileArchiveTest, ZipsWhoseHeadersDisagreeAreRefusedOrContained) {
  const Unpack zip{.format = Format::kZip};
  EXPECT_NE(refusal(zip_of({{.local_name = "../victim"}}), zip), "(unpacked)");
  EXPECT_THAT(contained(zip_of({{.name = "../victim", .local_name = "fine"}}), zip),
              testing::ElementsAre("fine"));
  EXPECT_NE(refusal(zip_of({{.flags = 1}}), zip), "(unpacked)") << "encrypted";
  EXPECT_NE(refusal(zip_of({{.size = 1 << 30}}), zip), "(unpacked)");
  EXPECT_NE(refusal(zip_of({{.size = UINT32_MAX}}), zip), "(unpacked)") << "zip64 that is none";
  EXPECT_NE(refusal(zip_of({{.offset = 1 << 20}}), zip), "(unpacked)");
  (void)contained(zip_of({{.central_size = 1 << 30}}), zip);
  (void)contained(zip_of({{.central_size = 2}}), zip);
  EXPECT_NE(refusal(zip_of({{.name = "d", .mode = 0020666}}), zip), "(unpacked)") << "a device";
  EXPECT_THAT(contained(zip_of({{.name = "f", .mode = 0010666}}), zip), testing::ElementsAre("f"))
      << "no FIFO, a file";
  EXPECT_THAT(contained(zip_of({{.name = "s", .mode = 0106755}}), zip), testing::ElementsAre("s"));
  EXPECT_NE(refusal(zip_of({{.name = "l", .content = std::string(1 << 20, 'x'), .mode = 0120777}}), zip),
            "(unpacked)");
}

TEST_F(HostileArchiveTest, MembersThatShareTheirBytesCountEach) {
  const auto bomb = overlapping_zip(400, std::string(256 << 10, 'x'));
  ASSERT_LT(bomb.size(), 512U << 10);
  EXPECT_THAT(refusal(bomb, {.format = Format::kZip}), HasSubstr("200 times"));
  // The control: a few of them do come out whole.
  const auto few = contained(overlapping_zip(4, std::string(1000, 'x')), {.format = Format::kZip});
  EXPECT_THAT(few, testing::ElementsAre("10000", "10001", "10002", "10003"));
}

TEST_F(HostileArchiveTest, AnArchiveInAnArchiveIsAFile) {
  const auto inner = archive_of({{.path = "zeros", .content = std::string(60 << 20, '\0')}}, Format::kZip);
  const auto outer = zip_of({{.name = "1.zip", .content = inner}, {.name = "2.zip", .content = inner}});
  EXPECT_THAT(contained(outer, {.format = Format::kZip}), testing::ElementsAre("1.zip", "2.zip"));
}

TEST_F(HostileArchiveTest, OtherFormatsAndFiltersAreNotEvenTried) {
  for (const std::string& bytes :
       {std::string("\xFD"
                    "7zXZ\0\0\4",
                    8),
        std::string("\x28\xB5\x2F\xFD"), std::string("BZh91AY&SY"), std::string("7z\xBC\xAF\x27\x1C"),
        std::string("Rar!\x1A\7\0", 7), std::string("!<arch>\n")}) {
    for (const auto format : {Format::kTar, Format::kTarGzip, Format::kZip}) {
      EXPECT_NE(refusal(bytes + std::string(2000, 'x'), {.format = format}), "(unpacked)");
    }
  }
}

TEST_F(HostileArchiveTest, AMillionMembersAreRefusedInLittleMemory) {
  constexpr std::size_t kMillion = 1'000'000;
  // Hundreds of directories for each member of one name.
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "d/";
  std::vector<Made> nested;
  for (int i = 0; i < 1000; ++i) nested.push_back({.path = std::to_string(i) + "/" + deep + "f"});
  expect_bounded(archive_of(nested, Format::kTarGzip), {.format = Format::kTarGzip, .most_entries = 500},
                 HasSubstr("entries"));
  std::string tar;
  for (int i = 0; i < 20'000; ++i) tar += header_of({.name = std::to_string(i)});
  expect_bounded(tar, {.most_entries = 1000}, HasSubstr("entries"));
  // libarchive reads the whole directory of a zip before it tells of the first member.
  const std::string common = common_of(0, crc_of("hello"), 5);
  const std::string first = local_header(common, "0") + "hello";
  const auto zip_with = [&](std::size_t entries) {
    std::string zip = first;
    for (std::size_t i = 0; i < entries; ++i) zip += central_header(common, std::to_string(i), 0100644, i);
    return zip + zip_end(entries, zip.size() - first.size(), first.size());
  };
  expect_bounded(zip_with(kMillion), {.format = Format::kZip}, HasSubstr("entries"));
  EXPECT_LT(memory_, 4U << 20) << "none of it is read";
  expect_bounded(zip_with(kMillion / 4), {.format = Format::kZip}, testing::Ne("(unpacked)"));
  EXPECT_GT(memory_, 16U << 20) << "the control: this is what a directory takes";
}

}  // namespace
}  // namespace files
