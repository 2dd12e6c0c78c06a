// A worker of file calls in a thread, and its caller: requests in, everything it says until the end out.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "files/serve.h"
#include "sys/socket.h"
#include "sys/temp_dir.h"
#include "tests/support/result.h"
#include "wire/file_messages.h"
#include "wire/init_messages.h"

namespace support {

struct FileAnswer {
  std::vector<wire::file::Entry> entries;
  std::vector<wire::file::Attribute> attributes;
  std::string bytes;
  wire::file::Done done;
  std::optional<wire::init::Failed> failed;

  base::Code code() const { return failed ? static_cast<base::Code>(failed->code) : base::Code{99}; }
  std::vector<std::string> paths() const {
    std::vector<std::string> all;
    for (const auto& entry : entries) all.push_back(entry.path);
    return all;
  }
};

class FilePeer {
 public:
  FilePeer() : sockets_(sys::make_socket_pair(SOCK_STREAM).value()) {
    thread_ = std::jthread([this] { (void)files::serve(sockets_.theirs.get()); });
  }
  ~FilePeer() { (void)::shutdown(sockets_.ours.get(), SHUT_RDWR); }

  void send(const wire::file::Request& request) {
    ASSERT_OK(sys::write_all(sockets_.ours.get(), wire::file::encode(stream_, request)));
  }
  void begin(const wire::file::Request& request) {
    ++stream_;
    send(request);
  }

  // The next thing it says; Done for a failure, which is kept in `answer`.
  wire::file::Event next(FileAnswer& answer) {
    while (true) {
      const auto frame = frames_.next().value();
      if (frame && frame->stream != stream_) continue;
      if (frame && wire::file::is_event(frame->type)) return credited(*frame);
      if (frame) {
        answer.failed = std::get<wire::init::Failed>(wire::init::decode_event(*frame).value());
        return wire::file::Done{};
      }
      std::string buffer(1 << 16, '\0');
      const ssize_t n = ::recv(sockets_.ours.get(), buffer.data(), buffer.size(), 0);
      if (n <= 0) {
        ADD_FAILURE() << "the worker hung up";
        answer.failed = wire::init::Failed{};
        return wire::file::Done{};
      }
      frames_.feed({buffer.data(), static_cast<std::size_t>(n)});
    }
  }

  FileAnswer finish() {
    FileAnswer answer;
    while (true) {
      auto event = next(answer);
      if (const auto* entries = std::get_if<wire::file::Entries>(&event)) {
        answer.entries.insert(answer.entries.end(), entries->entries.begin(), entries->entries.end());
      }
      if (const auto* opened = std::get_if<wire::file::Opened>(&event))
        answer.entries.push_back(opened->entry);
      if (const auto* bytes = std::get_if<wire::file::Bytes>(&event)) answer.bytes += bytes->bytes;
      if (const auto* one = std::get_if<wire::file::Attribute>(&event)) answer.attributes.push_back(*one);
      if (const auto* done = std::get_if<wire::file::Done>(&event)) {
        answer.done = *done;
        return answer;
      }
    }
  }

  FileAnswer ask(const wire::file::Request& request) {
    begin(request);
    return finish();
  }

  FileAnswer write(const wire::file::Request& request, std::string_view data) {
    begin(request);
    send_data(data);
    send(wire::file::Data{});
    return finish();
  }
  // At most a window of it.
  void send_data(std::string_view data) {
    for (std::size_t at = 0; at < data.size(); at += wire::kMaxChunk) {
      send(wire::file::Data{.bytes = std::string(data.substr(at, wire::kMaxChunk))});
    }
  }

 private:
  wire::file::Event credited(const wire::Frame& frame) {
    const auto size = static_cast<std::uint32_t>(wire::kFrameHeader + frame.payload.size());
    auto event = wire::file::decode_event(frame).value();
    const bool ends = std::holds_alternative<wire::file::Done>(event);
    if (!ends && credits) send(wire::file::Credit{.bytes = size});
    return event;
  }

 public:
  bool credits = true;  // whether what was said is acknowledged

 private:
  sys::SocketPair sockets_;
  wire::FrameReader frames_;
  std::uint32_t stream_ = 0;
  std::jthread thread_;
};

class FilesTest : public testing::Test {
 protected:
  std::string operator/(const std::string& name) const { return dir_ / name; }
  std::string make(const std::string& name, std::string_view text = "") {
    EXPECT_OK(sys::create_file_at(AT_FDCWD, dir_ / name, text));
    return dir_ / name;
  }
  std::string make_dir(const std::string& name) {
    EXPECT_OK(sys::mkdirat(AT_FDCWD, dir_ / name, 0755));
    return dir_ / name;
  }
  std::string text_of(const std::string& name) { return sys::read_file(dir_ / name).value_or("(nothing)"); }

  sys::TempDir dir_ = sys::TempDir::make().value();
  FilePeer worker_;
};

}  // namespace support
