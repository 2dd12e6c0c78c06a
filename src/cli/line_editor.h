#pragma once

#include <histedit.h>

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"

namespace cli {

using base::Result;

// Lines as somebody types them at a terminal: editing and a history that lasts (libedit). Without a terminal,
// lines as they are.
class LineEditor {
 public:
  // `interrupts` is readable when Ctrl-C was typed. The history is kept in this file; empty: nowhere.
  static Result<std::unique_ptr<LineEditor>> open(int interrupts, const std::string& kept_at);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class End { kLine, kInterrupted, kOver };
  struct Read {
    End end = End::kOver;
    std::string line;  // with its newline
  };
  Read read(const std::string& prompt);
  // A whole cell, which the history has as one entry.
  void remember(const std::string& cell);

 private:
  LineEditor(int interrupts, std::string history);
  Read read_plain();
  static char* prompt_of(EditLine* editor);
  static int next_character(EditLine* editor, wchar_t* character);
  bool await_byte();

  int interrupts_;
  std::string history_path_;
  bool is_terminal_;
  EditLine* editor_ = nullptr;
  History* history_ = nullptr;
  std::string prompt_;
  bool was_interrupted_ = false;
};

}  // namespace cli
