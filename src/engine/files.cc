#include "engine/files.h"

#include <cerrno>

namespace engine {

namespace {

using base::Code;
using wire::file::Attribute;
using wire::file::Done;
using wire::file::Entry;

class Collector : public FileObserver {
 public:
  explicit Collector(std::size_t most = SIZE_MAX, std::string_view input = {}) : most_(most), input_(input) {}

  Result<> entry(const Entry& entry) override {
    // Whoever answers may have no end of them.
    listed_ += sizeof entry + entry.path.size() + entry.target.size();
    if (listed_ > kMostListed) {
      return base::fail(Code::kExhausted, "the list is larger than 256 MiB; ask for it in pages");
    }
    entries.push_back(entry);
    return {};
  }
  Result<> attribute(const Attribute& attribute) override {
    attributes.push_back(attribute);
    return attributes.size() > wire::file::kMaxAttributes
               ? base::fail(Code::kInvalid, "more attributes came than a file can have")
               : Result<>();
  }
  Result<> bytes(std::string_view piece) override {
    if (piece.size() > most_ - content.size()) {
      return base::fail(Code::kExhausted, "there are more than " + std::to_string(most_) +
                                              " bytes; take them in ranges, or as a stream");
    }
    content += piece;
    return {};
  }
  Result<std::string> next_piece(std::size_t most) override {
    std::string piece(input_.substr(0, most));
    input_.remove_prefix(piece.size());
    return piece;
  }

  std::vector<Entry> entries;
  std::vector<Attribute> attributes;
  std::string content;

 private:
  static constexpr std::size_t kMostListed = 256 << 20;

  const std::size_t most_;
  std::size_t listed_ = 0;
  std::string_view input_;
};

}  // namespace

Result<Done> Files::call(const wire::file::Request& request, FileObserver& observer) {
  return FileCall(sandbox_, observer).run(request);
}

Result<Done> Files::call(const wire::file::Request& request) {
  FileObserver nobody;
  return call(request, nobody);
}

Result<Entry> Files::stat(const std::string& path, wire::file::Links links) {
  Collector collector;
  RETURN_IF_ERROR(call(wire::file::Stat{.path = path, .links = links}, collector));
  if (collector.entries.size() != 1) return base::fail(Code::kInternal, "unexpected answer to a file call");
  return std::move(collector.entries.front());
}

Result<std::vector<Entry>> Files::list(const wire::file::List& request) {
  Collector collector;
  RETURN_IF_ERROR(call(request, collector));
  return std::move(collector.entries);
}

Result<std::string> Files::take(const wire::file::Request& request, std::size_t most) {
  Collector collector(most);
  RETURN_IF_ERROR(call(request, collector));
  return std::move(collector.content);
}

Result<Done> Files::give(const wire::file::Request& request, std::string_view bytes) {
  Collector collector(0, bytes);
  return call(request, collector);
}

Result<std::string> Files::read(const wire::file::Read& request, std::size_t most) {
  return take(request, most);
}

Result<Done> Files::write(const wire::file::Write& request, std::string_view bytes) {
  return give(request, bytes);
}

Result<std::string> Files::pack(const wire::file::Pack& request, std::size_t most) {
  return take(request, most);
}

Result<Done> Files::unpack(const wire::file::Unpack& request, std::string_view bytes) {
  return give(request, bytes);
}

Result<std::vector<Attribute>> Files::attributes(const std::string& path) {
  Collector collector;
  RETURN_IF_ERROR(call(wire::file::GetAttributes{.path = path}, collector));
  return std::move(collector.attributes);
}

std::optional<base::Cause> cause_of(const base::Error& error) {
  if (error.sys_errno == ENOSPC || error.sys_errno == EDQUOT) return base::Cause::kDiskFull;
  return {};
}

}  // namespace engine
