#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"

namespace http {

// The path of a route: "/v1/sandboxes/{id}/files/{path...}". A parameter matches one segment that is not
// empty and no dot segment. The last one may be a rest parameter, which matches any number of segments, none
// included, joined by slashes:
//   {path...}  a path in a file system: one with a component "." or ".." is bad;
//   {path*}    anything, for a proxy (which forwards the raw path).
class RoutePattern {
 public:
  using Parameters = std::vector<std::pair<std::string_view, std::string>>;
  enum class Fit { kNo, kBadPath, kYes };

  static base::Result<RoutePattern> parse(std::string_view text);
  Fit match(const std::vector<std::string>& segments, Parameters& parameters) const;

  const std::string& text() const { return text_; }
  // Literal segments first, rest parameters last: the order in which patterns are tried.
  bool is_tried_before(const RoutePattern& other) const;

 private:
  enum class Kind { kLiteral, kOne, kPath, kAnything };
  struct Piece {
    Kind kind;
    std::string text;  // the segment, or the parameter's name
  };
  static Piece parse_piece(std::string_view text);
  std::string text_;
  std::vector<Piece> pieces_;
};

// Which T is meant by a method and a path. Routes are added at the start; a wrong pattern or one added twice
// is a bug.
template <class T>
class Router {
 public:
  struct Match {
    enum class Kind { kFound, kNotFound, kBadPath, kMethodNotAllowed };
    Kind kind = Kind::kNotFound;
    const T* route = nullptr;
    std::string_view pattern = {};             // of the route, for logs and metrics
    RoutePattern::Parameters parameters = {};  // names belong to the router
    std::string allow = {};                    // for the header of that name, with kMethodNotAllowed

    // The value of a parameter that the pattern has; it is a bug to ask for another.
    const std::string& operator[](std::string_view name) const {
      const auto found =
          std::ranges::find(parameters, name, &std::pair<std::string_view, std::string>::first);
      BASE_CHECK(found != parameters.end());
      return found->second;
    }
  };

  void add(std::string_view method, std::string_view pattern, T route);
  // HEAD is answered by GET's route, unless it has one.
  Match match(std::string_view method, const std::vector<std::string>& segments) const;
  // Every route: fn(method, pattern, route).
  template <class Fn>
  void each(Fn fn) const {
    for (const Path& path : paths_)
      for (const auto& [method, route] : path.methods) fn(method, path.pattern.text(), route);
  }

 private:
  struct Path {
    RoutePattern pattern;
    std::vector<std::pair<std::string, T>> methods;
  };
  const T* route_of(const Path& path, std::string_view method) const;

  std::vector<Path> paths_;
};

template <class T>
void Router<T>::add(std::string_view method, std::string_view pattern, T route) {
  auto path =
      std::ranges::find(paths_, pattern, [](const Path& p) { return std::string_view(p.pattern.text()); });
  if (path == paths_.end()) {
    auto parsed = RoutePattern::parse(pattern);
    BASE_CHECK(parsed.has_value());
    const auto before = [&](const Path& p) { return parsed->is_tried_before(p.pattern); };
    path = paths_.insert(std::ranges::find_if(paths_, before), Path{*parsed, {}});
  }
  BASE_CHECK(std::ranges::find(path->methods, method, &std::pair<std::string, T>::first) ==
             path->methods.end());
  path->methods.emplace_back(method, std::move(route));
}

template <class T>
auto Router<T>::match(std::string_view method, const std::vector<std::string>& segments) const -> Match {
  Match none;
  for (const Path& path : paths_) {
    Match match{.pattern = path.pattern.text()};
    const auto fit = path.pattern.match(segments, match.parameters);
    if (fit == RoutePattern::Fit::kNo) continue;
    match.kind = Match::Kind::kBadPath;
    if (fit == RoutePattern::Fit::kBadPath) return match;
    match.route = route_of(path, method);
    match.kind = Match::Kind::kFound;
    if (match.route != nullptr) return match;
    none.kind = Match::Kind::kMethodNotAllowed;
    none.pattern = match.pattern;
    for (const auto& [name, route] : path.methods) none.allow += (none.allow.empty() ? "" : ", ") + name;
  }
  return none;
}

template <class T>
const T* Router<T>::route_of(const Path& path, std::string_view method) const {
  auto found = std::ranges::find(path.methods, method, &std::pair<std::string, T>::first);
  if (found == path.methods.end() && method == "HEAD")
    found = std::ranges::find(path.methods, "GET", &std::pair<std::string, T>::first);
  return found == path.methods.end() ? nullptr : &found->second;
}

}  // namespace http
