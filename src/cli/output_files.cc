#include "cli/output_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <filesystem>

#include "sys/file.h"

namespace cli {

namespace {

struct Kind {
  std::string_view mime;
  std::string_view ending;
};
constexpr std::array kKinds{
    Kind{"image/png", "png"},
    Kind{"image/jpeg", "jpg"},
    Kind{"image/gif", "gif"},
    Kind{"image/webp", "webp"},
    Kind{"image/svg+xml", "svg"},
    Kind{"application/pdf", "pdf"},
    Kind{"text/html", "html"},
    Kind{"text/markdown", "md"},
    Kind{"text/latex", "tex"},
    Kind{"application/json", "json"},
    Kind{"application/javascript", "js"},
    Kind{"application/vnd.plotly.v1+json", "plotly.json"},
    Kind{"application/vnd.vegalite.v5+json", "vega-lite.json"},
    Kind{"application/vnd.vegalite.v6+json", "vega-lite.json"},
    Kind{"application/vnd.cove.chart+json", "chart.json"},
    Kind{"application/vnd.cove.dataframe+json", "dataframe.json"},
};

const boost::json::object* data_of(const engine::Bundle& bundle) {
  const auto* data = bundle.head().if_contains("data");
  return data == nullptr ? nullptr : data->if_object();
}

// Binary values stand behind the JSON, text in it; what is neither is JSON itself.
std::string bytes_of(const engine::Bundle& bundle, const boost::json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (const auto binary = bundle.bytes_of(value)) return std::string(*binary);
  return boost::json::serialize(value) + "\n";
}

}  // namespace

std::vector<std::string_view> kinds_of_files(const engine::Bundle& bundle) {
  std::vector<std::string_view> kinds;
  const auto* data = data_of(bundle);
  for (const Kind& kind : kKinds) {
    if (data != nullptr && data->contains(kind.mime)) kinds.push_back(kind.mime);
  }
  return kinds;
}

Result<OutputFiles> OutputFiles::in(const std::string& folder) {
  OutputFiles files;
  files.folder_ = folder;
  if (files.is_saving()) RETURN_IF_ERROR(files.make_folder());
  return files;
}

OutputFiles OutputFiles::of_images_in(const std::string& folder) {
  OutputFiles files;
  files.folder_ = folder;
  files.only_images_ = true;
  return files;
}

Result<> OutputFiles::make_folder() const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return base::failed_call("--out " + folder_, error.value());
  return {};
}

std::vector<std::string_view> OutputFiles::wanted_of(const engine::Bundle& bundle) const {
  auto kinds = kinds_of_files(bundle);
  if (only_images_) std::erase_if(kinds, [](auto kind) { return !kind.starts_with("image/"); });
  return kinds;
}

Result<std::vector<OutputFiles::Saved>> OutputFiles::save(const engine::Bundle& bundle) {
  std::vector<Saved> saved;
  const auto kinds = wanted_of(bundle);
  if (!is_saving() || kinds.empty()) return saved;
  RETURN_IF_ERROR(make_folder());
  ++displays_;
  for (const std::string_view mime : kinds) {
    const auto* kind = std::ranges::find(kKinds, mime, &Kind::mime);
    std::string path = fmt::format("{}/output-{}.{}", folder_, displays_, kind->ending);
    RETURN_IF_ERROR(write(path, bytes_of(bundle, data_of(bundle)->at(mime))));
    saved.push_back({.mime = std::string(mime), .path = std::move(path)});
  }
  return saved;
}

// Whoever looks at it meanwhile sees the old one or the new one.
Result<> OutputFiles::write(const std::string& path, std::string_view bytes) const {
  const std::string fresh = path + ".new";
  ASSIGN_OR_RETURN(const auto file, sys::open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644));
  RETURN_IF_ERROR(sys::write_all(file.get(), bytes));
  return sys::renameat(AT_FDCWD, fresh, AT_FDCWD, path);
}

}  // namespace cli
