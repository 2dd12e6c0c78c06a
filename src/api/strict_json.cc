#include "api/strict_json.h"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <set>
#include <string>
#include <vector>

namespace api {

namespace {

namespace json = boost::json;
using base::Code;
using Failure = json::error_code;

constexpr std::size_t kDeepest = 32;

// Hears the names of all objects, and stops at one that comes twice.
struct Names {
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  bool on_object_begin(Failure&) {
    seen.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, Failure&) {
    seen.pop_back();
    return true;
  }
  bool on_key_part(std::string_view part, std::size_t, Failure&) {
    name += part;
    return true;
  }
  bool on_key(std::string_view part, std::size_t, Failure& failure) {
    name += part;
    if (!seen.back().insert(name).second) {
      twice = name;
      failure = json::error::syntax;
      return false;
    }
    name.clear();
    return true;
  }
  bool on_document_begin(Failure&) { return true; }
  bool on_document_end(Failure&) { return true; }
  bool on_array_begin(Failure&) { return true; }
  bool on_array_end(std::size_t, Failure&) { return true; }
  bool on_string_part(std::string_view, std::size_t, Failure&) { return true; }
  bool on_string(std::string_view, std::size_t, Failure&) { return true; }
  bool on_number_part(std::string_view, Failure&) { return true; }
  bool on_int64(std::int64_t, std::string_view, Failure&) { return true; }
  bool on_uint64(std::uint64_t, std::string_view, Failure&) { return true; }
  bool on_double(double, std::string_view, Failure&) { return true; }
  bool on_bool(bool, Failure&) { return true; }
  bool on_null(Failure&) { return true; }
  bool on_comment_part(std::string_view, Failure&) { return true; }
  bool on_comment(std::string_view, Failure&) { return true; }

  std::vector<std::set<std::string>> seen;
  std::string name;
  std::string twice;
};

json::parse_options options() {
  json::parse_options strict;
  strict.max_depth = kDeepest;
  return strict;
}

base::Result<> check_names(std::string_view text) {
  json::basic_parser<Names> parser(options());
  Failure failure;
  (void)parser.write_some(false, text.data(), text.size(), failure);
  if (parser.handler().twice.empty()) return {};
  return base::fail(Code::kInvalid, "the body has the field '" + parser.handler().twice + "' twice");
}

}  // namespace

base::Result<json::object> parse_object(std::string_view text) {
  if (text.empty()) return base::fail(Code::kInvalid, "the body is empty; a JSON object is wanted");
  Failure failure;
  auto value = json::parse(text, failure, {}, options());
  if (failure) return base::fail(Code::kInvalid, "the body is no JSON: " + failure.message());
  if (!value.is_object()) return base::fail(Code::kInvalid, "the body has to be a JSON object");
  RETURN_IF_ERROR(check_names(text));
  return std::move(value.get_object());
}

}  // namespace api
