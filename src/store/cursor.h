#pragma once

#include "store/records.h"

namespace store {

// A place in a list that is ordered by time and id, newest first. Whoever makes one up gets a place in the
// same list, which they may see anyway; so a cursor is checked for its form and needs no signature.
struct Position {
  Time created;
  std::string id;
};

std::string cursor_of(const Position& position);
// kInvalid for whatever cursor_of did not make.
Result<Position> parse_cursor(std::string_view cursor);

// Where a page begins: behind the cursor's place, or behind everything. kInvalid for a limit that is none.
Result<Position> start_of(const PageRequest& page);

// A page of `limit` out of rows that were read with one more; `row.created` and `row.id` are the place of
// each.
template <class T>
Page<T> page_of(std::vector<T> rows, std::size_t limit) {
  Page<T> page{.items = std::move(rows), .next = std::nullopt};
  if (page.items.size() <= limit) return page;
  page.items.erase(page.items.begin() + static_cast<std::ptrdiff_t>(limit), page.items.end());
  page.next = cursor_of({page.items.back().created, page.items.back().id.text()});
  return page;
}

}  // namespace store
