#include "http/router.h"

#include <span>

namespace http {

namespace {
bool is_dots(std::string_view text) { return text == "." || text == ".."; }

bool has_dots(std::string_view path) {
  while (true) {
    const auto slash = path.find('/');
    if (is_dots(path.substr(0, slash))) return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

std::string joined(std::span<const std::string> segments) {
  std::string text;
  for (std::size_t i = 0; i < segments.size(); ++i) text.append(i == 0 ? "" : "/").append(segments[i]);
  return text;
}
}  // namespace

RoutePattern::Piece RoutePattern::parse_piece(std::string_view text) {
  if (!text.starts_with('{') || !text.ends_with('}')) return {Kind::kLiteral, std::string(text)};
  std::string_view name = text.substr(1, text.size() - 2);
  Kind kind = Kind::kOne;
  if (name.ends_with("...")) {
    kind = Kind::kPath;
    name.remove_suffix(3);
  } else if (name.ends_with('*')) {
    kind = Kind::kAnything;
    name.remove_suffix(1);
  }
  return {kind, std::string(name)};
}

base::Result<RoutePattern> RoutePattern::parse(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return base::fail(base::Code::kInvalid, "route " + std::string(text) + ": " + std::string(why));
  };
  if (!text.starts_with('/')) return wrong("begins with a slash");
  RoutePattern pattern;
  pattern.text_ = text;
  std::string_view left = text;
  while (!left.empty()) {
    left.remove_prefix(1);
    const auto slash = left.find('/');
    Piece piece = parse_piece(left.substr(0, slash));
    const bool last = slash == std::string_view::npos;
    left = last ? std::string_view{} : left.substr(slash);
    if (piece.text.find_first_of("{}*%") != std::string::npos)
      return wrong("{name}, {name...}, {name*} or a word");
    if (piece.kind != Kind::kLiteral && piece.text.empty()) return wrong("a parameter has a name");
    if (piece.kind >= Kind::kPath && !last) return wrong("a rest parameter comes last");
    if (piece.kind == Kind::kLiteral && is_dots(piece.text)) return wrong("has no dot segments");
    for (const Piece& other : pattern.pieces_)
      if (piece.kind != Kind::kLiteral && other.kind != Kind::kLiteral && other.text == piece.text)
        return wrong("names a parameter twice");
    pattern.pieces_.push_back(std::move(piece));
  }
  return pattern;
}

RoutePattern::Fit RoutePattern::match(const std::vector<std::string>& segments,
                                      Parameters& parameters) const {
  parameters.clear();
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (piece.kind >= Kind::kPath) {
      const auto from = std::min(i, segments.size());
      parameters.emplace_back(piece.text, joined(std::span(segments).subspan(from)));
      const bool bad = piece.kind == Kind::kPath && has_dots(parameters.back().second);
      return bad ? Fit::kBadPath : Fit::kYes;
    }
    if (i >= segments.size()) return Fit::kNo;
    const std::string& segment = segments[i];
    if (piece.kind == Kind::kLiteral && segment != piece.text) return Fit::kNo;
    if (piece.kind != Kind::kOne) continue;
    if (segment.empty() || is_dots(segment)) return Fit::kNo;
    parameters.emplace_back(piece.text, segment);
  }
  return segments.size() == pieces_.size() ? Fit::kYes : Fit::kNo;
}

bool RoutePattern::is_tried_before(const RoutePattern& other) const {
  const auto kinds = [](const Piece& piece) { return piece.kind; };
  return std::ranges::lexicographical_compare(pieces_, other.pieces_, {}, kinds, kinds);
}

}  // namespace http
