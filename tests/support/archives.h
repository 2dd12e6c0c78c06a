// Archives for tests: made member by member, unpacked beside a victim that nobody may touch.
#pragma once

#include "files/archive_owner.h"
#include "sys/directory.h"
#include "tests/support/file_worker_peer.h"

namespace support {

struct Made {
  std::string path;
  mode_t type = AE_IFREG;
  mode_t mode = 0644;
  std::string content = {};
  std::string link = {};
  std::string hardlink = {};
};

inline la_ssize_t append(archive*, void* to, const void* bytes, std::size_t size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

inline std::string archive_of(const std::vector<Made>& members,
                              wire::file::Format format = wire::file::Format::kTar) {
  std::string out;
  const files::Archive writer(::archive_write_new());
  if (format == wire::file::Format::kZip) {
    ::archive_write_set_format_zip(writer.get());
  } else {
    ::archive_write_set_format_pax(writer.get());
    ::archive_write_set_option(writer.get(), "pax", "hdrcharset", "BINARY");
  }
  if (format == wire::file::Format::kTarGzip) ::archive_write_add_filter_gzip(writer.get());
  ::archive_write_set_bytes_in_last_block(writer.get(), 1);
  EXPECT_EQ(::archive_write_open(writer.get(), &out, nullptr, append, nullptr), ARCHIVE_OK);
  for (const Made& made : members) {
    const files::Member member(::archive_entry_new());
    ::archive_entry_set_pathname(member.get(), made.path.c_str());
    ::archive_entry_set_mode(member.get(), made.type | made.mode);
    ::archive_entry_set_size(member.get(), static_cast<la_int64_t>(made.content.size()));
    if (!made.link.empty()) ::archive_entry_set_symlink(member.get(), made.link.c_str());
    if (!made.hardlink.empty()) ::archive_entry_set_hardlink(member.get(), made.hardlink.c_str());
    EXPECT_GE(::archive_write_header(writer.get(), member.get()), ARCHIVE_WARN);
    (void)::archive_write_data(writer.get(), made.content.data(), made.content.size());
  }
  EXPECT_EQ(::archive_write_close(writer.get()), ARCHIVE_OK);
  return out;
}

class ArchiveTest : public FilesTest {
 protected:
  FileAnswer unpack(const std::string& bytes, wire::file::Unpack request = {}) {
    if (request.path.empty()) request.path = dir_ / "to";
    worker_.begin(request);
    FileAnswer answer;
    std::size_t under_way = 0;
    for (std::size_t at = 0; at < bytes.size() && !answer.failed; at += wire::kMaxChunk) {
      const std::string piece = bytes.substr(at, wire::kMaxChunk);
      worker_.send(wire::file::Data{.bytes = piece});
      under_way += piece.size();
      while (!answer.failed && under_way + wire::kMaxChunk > wire::file::kWindow) {
        const auto event = worker_.next(answer);
        if (const auto* taken = std::get_if<wire::file::Taken>(&event)) under_way -= taken->bytes;
      }
    }
    if (answer.failed) return answer;
    worker_.send(wire::file::Data{});
    return worker_.finish();
  }
  // Why it was refused; nothing of it may stay.
  std::string refusal(const std::string& bytes, const wire::file::Unpack& request = {}) {
    const auto answer = unpack(bytes, request);
    EXPECT_THAT(sys::entries(dir_.path()).value(), testing::ElementsAre("victim"));
    EXPECT_EQ(text_of("victim"), "victim");
    return answer.failed ? answer.failed->message : "(unpacked)";
  }
  std::string refusal(const std::vector<Made>& members) { return refusal(archive_of(members)); }

  std::string victim_ = make("victim", "victim");
};

}  // namespace support
