#pragma once

#include <string>

#include "catalogue/catalogue.h"

namespace api {

// The catalogue, read again when its file has changed.
class TemplatesAtHand {
 public:
  explicit TemplatesAtHand(std::string state) : state_(std::move(state)) {}

  base::Result<const catalogue::Catalogue*> all() {
    const auto stamp = catalogue::stamp_of(state_);
    if (is_read_ && stamp == stamp_) return &catalogue_;
    ASSIGN_OR_RETURN(catalogue_, catalogue::read(state_));
    stamp_ = stamp;
    is_read_ = true;
    return &catalogue_;
  }

 private:
  const std::string state_;
  catalogue::Catalogue catalogue_;
  catalogue::Stamp stamp_;
  bool is_read_ = false;
};

}  // namespace api
