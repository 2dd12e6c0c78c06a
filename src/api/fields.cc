#include "api/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <cmath>

namespace api {

using base::Code;

const boost::json::value* Fields::find(std::string_view name) {
  asked_.emplace(name);
  return object_.if_contains(name);
}

void Fields::refuse(std::string_view name, std::string_view why) {
  refuse(base::Error{Code::kInvalid, fmt::format("'{}{}' {}", where_, name, why)});
}

void Fields::refuse(const base::Error& error) {
  if (!error_) error_ = error;
}

std::optional<std::string> Fields::text(std::string_view name, std::size_t most) {
  const auto* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    refuse(name, "has to be a string");
    return std::nullopt;
  }
  if (value->get_string().size() > most) {
    refuse(name, fmt::format("is longer than {} bytes", most));
    return std::nullopt;
  }
  return std::string(value->get_string());
}

std::optional<double> Fields::number(std::string_view name, Range range) {
  const auto* value = find(name);
  if (value == nullptr) return std::nullopt;
  boost::system::error_code failed;
  const auto number = value->to_number<double>(failed);
  // Written so that what is no number fails.
  if (!value->is_number() || failed || !(number >= range.least && number <= range.most)) {
    refuse(name, fmt::format("has to be a number from {} to {}", range.least, range.most));
    return std::nullopt;
  }
  return number;
}

std::optional<std::int64_t> Fields::integer(std::string_view name, Range range) {
  const auto found = number(name, range);
  if (!found) return std::nullopt;
  if (std::floor(*found) != *found) {
    refuse(name, "has to be a whole number");
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*found);
}

std::optional<std::chrono::milliseconds> Fields::seconds(std::string_view name, Range range) {
  const auto found = number(name, range);
  if (!found) return std::nullopt;
  return std::chrono::milliseconds(std::llround(*found * 1000));
}

std::optional<bool> Fields::truth(std::string_view name) {
  const auto* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_bool()) return value->get_bool();
  refuse(name, "has to be true or false");
  return std::nullopt;
}

std::optional<std::string> Fields::choice(std::string_view name,
                                          std::initializer_list<std::string_view> known) {
  auto found = text(name);
  if (!found || std::ranges::find(known, *found) != known.end()) return found;
  refuse(name, fmt::format("has to be one of: {}", fmt::join(known, ", ")));
  return std::nullopt;
}

std::optional<std::map<std::string, std::string>> Fields::texts(std::string_view name,
                                                                std::size_t most_entries) {
  const auto* found = object(name);
  if (found == nullptr) return std::nullopt;
  if (found->size() > most_entries) {
    refuse(name, fmt::format("has more than {} entries", most_entries));
    return std::nullopt;
  }
  std::map<std::string, std::string> texts;
  for (const auto& [key, value] : *found) {
    if (!value.is_string()) {
      refuse(name, "has to be an object of strings");
      return std::nullopt;
    }
    texts.emplace(key, value.get_string());
  }
  return texts;
}

std::optional<std::vector<std::string>> Fields::list(std::string_view name, std::size_t most_entries) {
  const auto* found = array(name, most_entries);
  if (found == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const auto& value : *found) {
    if (!value.is_string()) {
      refuse(name, "has to be a list of strings");
      return std::nullopt;
    }
    texts.emplace_back(value.get_string());
  }
  return texts;
}

const boost::json::object* Fields::object(std::string_view name) {
  const auto* value = find(name);
  if (value == nullptr) return nullptr;
  if (value->is_object()) return &value->get_object();
  refuse(name, "has to be an object");
  return nullptr;
}

const boost::json::array* Fields::array(std::string_view name, std::size_t most_entries) {
  const auto* value = find(name);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) {
    refuse(name, "has to be a list");
    return nullptr;
  }
  if (value->get_array().size() <= most_entries) return &value->get_array();
  refuse(name, fmt::format("has more than {} entries", most_entries));
  return nullptr;
}

Result<> Fields::check() {
  for (const auto& [name, value] : object_) {
    if (!asked_.contains(std::string_view(name))) refuse(name, "is not known here");
  }
  if (error_) return std::unexpected(*error_);
  return {};
}

}  // namespace api
