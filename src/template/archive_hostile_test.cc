#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <functional>

#include "template/archive_handle.h"
#include "template/archive_import.h"
#include "template/digest.h"
#include "template/test_support.h"
#include "template/tree.h"

// Archives as an enemy would write them: each breaks one rule and is otherwise right.
namespace templates {
namespace {

using test::open_store;
using testing::HasSubstr;
using testing::IsEmpty;

struct Member {
  std::string path;
  mode_t type = AE_IFREG;
  mode_t mode = 0644;
  std::string content = {};
  std::string link = {};      // target of a symbolic link
  std::string hardlink = {};  //
  la_int64_t uid = 0;
  bool with_attributes = false;
};

// What a sound tree has.
std::vector<Member> sound_members() {
  std::vector<Member> members;
  for (const auto* path : {"root", "root/dev", "root/proc", "root/sys", "root/run", "root/workspace",
                           "root/etc", "root/usr", "root/var", "root/home"}) {
    members.push_back({.path = path, .type = AE_IFDIR, .mode = 0755});
  }
  members.push_back({.path = "root/tmp", .type = AE_IFDIR, .mode = 01777});
  members.push_back({.path = "root/var/tmp", .type = AE_IFDIR, .mode = 01777});
  members.push_back({.path = "root/root", .type = AE_IFDIR, .mode = 0700});
  for (const auto* name : {"hostname", "hosts", "resolv.conf", "machine-id", "passwd", "group"}) {
    members.push_back({.path = std::string("root/etc/") + name, .content = "x\n"});
  }
  return members;
}

void write_member(archive* writer, const Member& member) {
  const ArchiveEntry entry(::archive_entry_new());
  ::archive_entry_set_pathname(entry.get(), member.path.c_str());
  ::archive_entry_set_mode(entry.get(), member.type | member.mode);
  ::archive_entry_set_uid(entry.get(), member.uid);
  ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(member.content.size()));
  if (!member.link.empty()) ::archive_entry_set_symlink(entry.get(), member.link.c_str());
  if (!member.hardlink.empty()) ::archive_entry_set_hardlink(entry.get(), member.hardlink.c_str());
  if (member.type == AE_IFCHR) ::archive_entry_set_rdev(entry.get(), 0);
  if (member.with_attributes) {
    ::archive_entry_xattr_add_entry(entry.get(), "trusted.overlay.opaque", "y", 1);
    ::archive_entry_xattr_add_entry(entry.get(), "user.overlay.redirect", "/", 1);
  }
  ASSERT_EQ(::archive_write_header(writer, entry.get()), ARCHIVE_OK) << ::archive_error_string(writer);
  if (!member.content.empty())
    (void)::archive_write_data(writer, member.content.data(), member.content.size());
}

enum class Compressed { kNo, kYes };

void write_archive(const std::string& file, const Meta& meta, const std::vector<Member>& members,
                   Compressed compressed = Compressed::kYes) {
  const ArchiveWriter writer(::archive_write_new());
  ::archive_write_set_format_pax(writer.get());
  ::archive_write_set_option(writer.get(), "pax", "hdrcharset", "BINARY");
  if (compressed == Compressed::kYes) ::archive_write_add_filter_zstd(writer.get());
  ASSERT_EQ(::archive_write_open_filename(writer.get(), file.c_str()), ARCHIVE_OK);
  const auto text = std::string(kArchiveFormat) + format_meta(meta);
  write_member(writer.get(), {.path = std::string(kArchiveMetaName), .content = text});
  for (const auto& member : members) write_member(writer.get(), member);
  ASSERT_EQ(::archive_write_close(writer.get()), ARCHIVE_OK);
}

// One 512-byte tar header of a file, with these 12 bytes as its size field and the right checksum.
std::string header_with_size(const std::string& path, std::string_view size) {
  std::string header(512, '\0');
  path.copy(&header[0], 100);
  std::string_view("0000644").copy(&header[100], 7);
  std::string_view("0000000").copy(&header[108], 7);
  std::string_view("0000000").copy(&header[116], 7);
  size.copy(&header[124], 12);
  std::string_view("00000000000").copy(&header[136], 11);
  header.replace(148, 8, 8, ' ');
  header[156] = '0';
  std::string_view("ustar\00000", 8).copy(&header[257], 8);
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::array<char, 8> text{};
  (void)std::snprintf(text.data(), text.size(), "%06o", sum);
  std::string_view(text.data(), 7).copy(&header[148], 7);
  return header;
}

class Hostile : public testing::Test {
 protected:
  // A meta whose limits are no obstacle; the digest is wrong unless said otherwise.
  static Meta roomy_meta() {
    return {.name = "evil",
            .digest = std::string(64, '0'),
            .suite = "trixie",
            .created = "2026-01-31T12:00:00Z",
            .version = "0.1.0",
            .bytes = 1 << 30,
            .entries = 100'000};
  }

  Result<TemplateInfo> import_file() {
    const ImportRequest request{.file = file_};
    return import_template(store_, request, progress_);
  }

  std::string error_of(const std::vector<Member>& members) {
    write_archive(file_, roomy_meta(), members);
    const auto imported = import_file();
    EXPECT_THAT(test::leftovers(store_), IsEmpty());
    EXPECT_THAT(*store_.list(), IsEmpty());
    EXPECT_EQ(*sys::read_file(victim_), "victim");
    return imported ? "(imported)" : imported.error().message;
  }

  std::string error_with(const Member& extra) {
    auto members = sound_members();
    members.push_back(extra);
    return error_of(members);
  }

  // An archive that ends in a file of which only the header is right, its size being this field.
  std::string error_of_claim(std::string_view size_field) {
    write_archive(file_, roomy_meta(), {sound_members().front()}, Compressed::kNo);
    auto bytes = *sys::read_file(file_);
    bytes.resize(bytes.size() - 1024);  // the two empty blocks at the end
    while (bytes.size() > 512 && bytes.ends_with(std::string(512, '\0'))) bytes.resize(bytes.size() - 512);
    bytes += header_with_size("root/x", size_field) + std::string(512, 'x');
    EXPECT_EQ(::unlink(file_.c_str()), 0);
    test::write_text(file_, bytes);
    const auto imported = import_file();
    EXPECT_THAT(test::leftovers(store_), IsEmpty());
    return imported ? "(imported)" : imported.error().message;
  }

  // Learns the digest of these members from the error about the wrong one.
  Meta honest_meta(const std::vector<Member>& members, std::uint64_t bytes) {
    const auto message = error_of(members);
    const std::string_view mark = "holds template ";
    const auto at = message.find(mark);
    EXPECT_NE(at, std::string::npos) << message;
    auto meta = roomy_meta();
    meta.digest = message.substr(at + mark.size(), 64);
    meta.bytes = bytes;
    meta.entries = members.size();
    return meta;
  }

  void SetUp() override { test::write_text(victim_, "victim"); }

  const test::Scratch scratch_;
  const Store store_ = open_store(scratch_ / "state");
  const std::string file_ = scratch_ / "evil.tar.zst";
  const std::string victim_ = scratch_ / "victim";
  test::Recorder progress_;
};

TEST_F(Hostile, ControlASoundArchiveIsTaken) {
  const auto members = sound_members();
  const auto meta = honest_meta(members, 12);
  write_archive(file_, meta, members);
  const auto imported = import_file();
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->digest, meta.digest);
}

TEST_F(Hostile, PathsThatLeaveTheTree) {
  EXPECT_THAT(error_with({.path = "/etc/evil"}), HasSubstr("empty name"));
  EXPECT_THAT(error_with({.path = "root/../../evil"}), HasSubstr("'.' and '..'"));
  EXPECT_THAT(error_with({.path = "root/./evil"}), HasSubstr("'.' and '..'"));
  EXPECT_THAT(error_with({.path = "root//evil"}), HasSubstr("empty name"));
  EXPECT_THAT(error_with({.path = "evil"}), HasSubstr("not below root/"));
  EXPECT_THAT(error_with({.path = "rootless/evil"}), HasSubstr("not below root/"));
  EXPECT_THAT(error_with({.path = "root/" + std::string(256, 'a')}), HasSubstr("longer than 255"));
  EXPECT_THAT(error_with({.path = "root/a\nb"}), HasSubstr("control characters"));
  std::string deep = "root";
  for (int i = 0; i < 65; ++i) deep += "/d";
  EXPECT_THAT(error_with({.path = deep}), HasSubstr("64 levels"));
  EXPECT_THAT(error_with({.path = "root/" + std::string(5000, '/') + "x"}), HasSubstr("path"));
  EXPECT_THAT(error_with({.path = std::string(kArchiveMetaName)}), HasSubstr("not below root/"));
}

TEST_F(Hostile, WritingThroughASymbolicLink) {
  auto members = sound_members();
  members.push_back({.path = "root/out", .type = AE_IFLNK, .mode = 0777, .link = scratch_.path()});
  members.push_back({.path = "root/out/victim", .content = "owned"});
  EXPECT_THAT(error_of(members), HasSubstr("its directory has not come before"));
  members = sound_members();
  members.push_back({.path = "root/out", .type = AE_IFLNK, .mode = 0777, .link = victim_});
  members.push_back({.path = "root/out", .content = "owned"});
  EXPECT_THAT(error_of(members), HasSubstr("appears twice"));
  members.back() = {.path = "root/out", .type = AE_IFDIR, .mode = 0777};
  EXPECT_THAT(error_of(members), HasSubstr("appears twice"));
  members.back() = {.path = "root/up", .type = AE_IFLNK, .mode = 0777, .link = "../../.."};
  members.push_back({.path = "root/up/x", .content = "owned"});
  EXPECT_THAT(error_of(members), HasSubstr("its directory has not come before"));
}

TEST_F(Hostile, HardLinksToAnythingButAFileOfTheArchive) {
  EXPECT_THAT(error_with({.path = "root/l", .hardlink = victim_}), HasSubstr("empty name"));
  EXPECT_THAT(error_with({.path = "root/l", .hardlink = "root/../../victim"}), HasSubstr("'.' and '..'"));
  EXPECT_THAT(error_with({.path = "root/l", .hardlink = "root/later"}), HasSubstr("has not come before"));
  EXPECT_THAT(error_with({.path = "root/l", .hardlink = "root/etc"}), HasSubstr("not a regular file"));
  auto members = sound_members();
  members.push_back({.path = "root/s", .type = AE_IFLNK, .mode = 0777, .link = victim_});
  members.push_back({.path = "root/l", .hardlink = "root/s"});
  EXPECT_NE(error_of(members), "(imported)");
  EXPECT_EQ(sys::fstatat(AT_FDCWD, victim_)->st_nlink, 1U);
}

TEST_F(Hostile, TypesOwnersAndRepetition) {
  EXPECT_THAT(error_with({.path = "root/null", .type = AE_IFCHR}), HasSubstr("devices"));
  EXPECT_THAT(error_with({.path = "root/disk", .type = AE_IFBLK}), HasSubstr("devices"));
  EXPECT_THAT(error_with({.path = "root/pipe", .type = AE_IFIFO}), HasSubstr("devices"));
  EXPECT_THAT(error_with({.path = "root/x", .uid = 65'536}), HasSubstr("owner"));
  EXPECT_THAT(error_with({.path = "root/x", .uid = la_int64_t{1} << 32}), HasSubstr("owner"));
  EXPECT_THAT(error_with({.path = "root/etc/passwd"}), HasSubstr("appears twice"));
  EXPECT_THAT(error_with({.path = "root/etc", .type = AE_IFDIR}), HasSubstr("appears twice"));
  EXPECT_THAT(error_with({.path = "root", .type = AE_IFDIR}), HasSubstr("appears twice"));
  EXPECT_THAT(error_with({.path = "root/no/parent"}), HasSubstr("its directory has not come before"));
}

TEST_F(Hostile, ClaimsOfSize) {
  const std::string huge("\x80\0\0\0\0\0\x01\0\0\0\0\0", 12);  // base 256: one TiB
  EXPECT_THAT(error_of_claim(huge), HasSubstr("more bytes than announced"));
  EXPECT_THAT(error_of_claim(std::string(12, '\xff')), testing::Not("(imported)"));  // minus one
  EXPECT_THAT(error_of_claim("00000100000"), HasSubstr("runcated"));                 // more than there is
  auto meta = roomy_meta();
  meta.entries = 3;
  write_archive(file_, meta, sound_members());
  EXPECT_THAT(import_file().error().message, HasSubstr("more members than announced"));
  meta = roomy_meta();
  meta.bytes = kMaxTreeBytes + 1;
  write_archive(file_, meta, sound_members());
  EXPECT_EQ(import_file().error().code, base::Code::kExhausted);
  EXPECT_THAT(test::leftovers(store_), IsEmpty());
}

TEST_F(Hostile, MuchOutOfLittle) {
  auto meta = roomy_meta();
  meta.bytes = kFreelyUnpackedBytes + 1;
  write_archive(file_, meta, sound_members());
  const auto imported = import_file();
  EXPECT_EQ(imported.error().code, base::Code::kExhausted);
  EXPECT_THAT(imported.error().message, HasSubstr("200 times"));
  // A file large enough for the claim is read; its lie comes out in the end.
  ASSERT_EQ(::truncate(file_.c_str(), static_cast<off_t>(meta.bytes / kMaxExpansion + 1)), 0);
  EXPECT_THAT(import_file().error().message, testing::Not(HasSubstr("200 times")));
  meta.entries = kMaxEntries + 1;
  write_archive(file_, meta, sound_members());
  EXPECT_THAT(import_file().error().message, HasSubstr("million"));
}

TEST_F(Hostile, AFileThatIsNone) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT(import_file().error().message, HasSubstr(file_ + " is no regular file")) << "and nobody waits";
  const ImportRequest device{.file = "/dev/zero"};
  EXPECT_THAT(import_template(store_, device, progress_).error().message, HasSubstr("/dev/zero"));
}

TEST_F(Hostile, ErrorsNameTheMember) {
  EXPECT_THAT(error_with({.path = "root/l", .hardlink = "root/../x"}), HasSubstr("member root/l: path"));
  EXPECT_THAT(error_with({.path = "root/no/parent"}), HasSubstr("member root/no/parent: "));
  EXPECT_THAT(error_with({.path = "root/x", .uid = 65'536}), HasSubstr("member root/x: "));
  EXPECT_THAT(error_with({.path = "root/\xc2\x9b"
                                  "2J\n"}),
              HasSubstr("member root/??2J?: "))
      << "and draws nothing";
}

TEST_F(Hostile, MountPointsThatAreNotPlainDirectories) {
  for (const auto* path : {"root/dev", "root/proc", "root/sys", "root/tmp", "root/run", "root/workspace",
                           "root/home", "root/var/tmp"}) {
    auto members = sound_members();
    const auto it = std::ranges::find(members, path, &Member::path);
    // Also anything below it goes, so that only the layout is wrong.
    *it = {.path = path, .type = AE_IFLNK, .mode = 0777, .link = "/etc"};
    EXPECT_THAT(error_of(members), HasSubstr("must be a directory and not a link")) << path;
    *it = {.path = path, .content = "x"};
    EXPECT_THAT(error_of(members), HasSubstr("must be a directory and not a link")) << path;
    members.erase(it);
    EXPECT_THAT(error_of(members), HasSubstr("must be a directory and not a link")) << path;
  }
  for (const auto* path : {"root/etc/resolv.conf", "root/etc/passwd"}) {
    auto members = sound_members();
    *std::ranges::find(members, path, &Member::path) = {
        .path = path, .type = AE_IFLNK, .mode = 0777, .link = victim_};
    EXPECT_THAT(error_of(members), HasSubstr("must be a file")) << path;
  }
  EXPECT_THAT(error_with({.path = "root/dev/null", .content = "x"}), HasSubstr("must be empty"));
}

TEST_F(Hostile, AWritableOrForeignEtc) {
  auto members = sound_members();
  const auto etc = std::ranges::find(members, "root/etc", &Member::path);
  etc->mode = 0777;
  EXPECT_THAT(error_of(members), HasSubstr("unexpected permissions"));
  etc->mode = 0755;
  etc->uid = 1000;
  EXPECT_THAT(error_of(members), HasSubstr("belong to root"));
}

TEST_F(Hostile, AttributesAreDropped) {
  auto members = sound_members();
  members.push_back({.path = "root/opt", .type = AE_IFDIR, .mode = 0755, .with_attributes = true});
  members.push_back({.path = "root/opt/f", .content = "f", .with_attributes = true});
  const auto meta = honest_meta(members, 13);
  write_archive(file_, meta, members);
  const auto imported = import_file();
  ASSERT_TRUE(imported) << imported.error().message;
  for (const auto* path : {"/opt", "/opt/f"}) {
    EXPECT_EQ(::llistxattr((imported->root + path).c_str(), nullptr, 0), 0) << path;
  }
}

TEST_F(Hostile, AMetaThatDoesNotBelongToTheTree) {
  const auto members = sound_members();
  const auto honest = honest_meta(members, 12);
  const std::vector<std::pair<const char*, std::function<void(Meta&)>>> lies = {
      {"environment", [](Meta& meta) { meta.environment = {{"LD_PRELOAD", "/evil.so"}}; }},
      {"user", [](Meta& meta) { meta.user.name = "eve"; }},
      {"bytes", [](Meta& meta) { meta.bytes = 13; }},
      {"entries", [](Meta& meta) { meta.entries += 1; }},
      {"digest", [](Meta& meta) { meta.digest = std::string(64, 'f'); }},
      {"name", [](Meta& meta) { meta.name = "../evil"; }},
  };
  for (const auto& [what, lie] : lies) {
    auto meta = honest;
    lie(meta);
    write_archive(file_, meta, members);
    EXPECT_FALSE(import_file()) << what;
    EXPECT_THAT(test::leftovers(store_), IsEmpty()) << what;
  }
  EXPECT_THAT(*store_.list(), IsEmpty());
}

TEST_F(Hostile, OtherFirstMembers) {
  const ArchiveWriter writer(::archive_write_new());
  ::archive_write_set_format_pax(writer.get());
  ::archive_write_add_filter_zstd(writer.get());
  ASSERT_EQ(::archive_write_open_filename(writer.get(), file_.c_str()), ARCHIVE_OK);
  write_member(writer.get(), {.path = "root", .type = AE_IFDIR, .mode = 0755});
  ASSERT_EQ(::archive_write_close(writer.get()), ARCHIVE_OK);
  EXPECT_THAT(import_file().error().message, HasSubstr("first member"));
}

}  // namespace
}  // namespace templates
