#pragma once

#include "engine/cell.h"
#include "engine/sandbox.h"

namespace engine {

// What init is asked for. kInvalid: the cell is too large.
Result<wire::init::Execute> request_of(const Cell& cell, std::uint32_t number);

// What is heard of one execution. Its runtime is not believed: it may be the code that ran in it which
// speaks.
class Execution {
 public:
  explicit Execution(std::uint32_t number) : number_(number) {}

  std::uint32_t number() const { return number_; }
  // The observer is told of what has become whole.
  Result<> hear(const wire::runtime::Piece& piece, CellObserver& observer);
  Outcome outcome_of(const wire::init::Ended& end) const;

 private:
  Result<> tell(CellObserver& observer);
  void note_done(const std::string& payload);

  std::uint32_t number_;
  std::string message_;  // what was said of a message so far
  bool is_too_large_ = false;
  bool failed_ = false;
  int exit_code_ = 0;
};

}  // namespace engine
