#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace api {

using base::Result;

// Takes the fields of an object out one by one. What is wrong is remembered, the first of it, and told by
// check(), which whoever reads an object calls at the end: a field that nobody asked for is wrong, too.
class Fields {
 public:
  struct Range {
    double least = 0;
    double most = 0;
  };

  // `where` is for messages: "limits."
  explicit Fields(const boost::json::object& object, std::string where = {})
      : object_(object), where_(std::move(where)) {}

  bool has(std::string_view name) const { return object_.contains(name); }
  std::optional<std::string> text(std::string_view name, std::size_t most = 4096);
  std::optional<double> number(std::string_view name, Range range);
  std::optional<std::int64_t> integer(std::string_view name, Range range);
  // In seconds, with fractions.
  std::optional<std::chrono::milliseconds> seconds(std::string_view name, Range range);
  std::optional<bool> truth(std::string_view name);
  // One of these.
  std::optional<std::string> choice(std::string_view name, std::initializer_list<std::string_view> known);
  // An object of texts.
  std::optional<std::map<std::string, std::string>> texts(std::string_view name, std::size_t most_entries);
  std::optional<std::vector<std::string>> list(std::string_view name, std::size_t most_entries);
  const boost::json::object* object(std::string_view name);
  const boost::json::array* array(std::string_view name, std::size_t most_entries);

  void refuse(std::string_view name, std::string_view why);
  // Of a part of this object.
  void refuse(const base::Error& error);
  // One that has to be there.
  template <class T>
  T required(std::string_view name, std::optional<T> value) {
    if (!value && !has(name)) refuse(name, "is missing");
    return value ? *std::move(value) : T{};
  }
  Result<> check();

 private:
  const boost::json::value* find(std::string_view name);

  const boost::json::object& object_;
  const std::string where_;
  std::set<std::string, std::less<>> asked_;
  std::optional<base::Error> error_;
};

}  // namespace api
