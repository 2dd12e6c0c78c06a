#include "cli/line_editor.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <cwchar>
#include <filesystem>

#include "sys/retry.h"
#include "sys/signals.h"

namespace cli {

namespace {
constexpr int kRemembered = 1000;

LineEditor* owner_of(EditLine* editor) {
  void* owner = nullptr;
  el_get(editor, EL_CLIENTDATA, &owner);
  return static_cast<LineEditor*>(owner);
}
}  // namespace

LineEditor::LineEditor(int interrupts, std::string history)
    : interrupts_(interrupts), history_path_(std::move(history)), is_terminal_(::isatty(0) == 1) {}

Result<std::unique_ptr<LineEditor>> LineEditor::open(int interrupts, const std::string& kept_at) {
  std::unique_ptr<LineEditor> self(new LineEditor(interrupts, kept_at));
  if (!self->is_terminal_) return self;
  std::setlocale(LC_CTYPE, "C.UTF-8");
  self->editor_ = el_init("cove", stdin, stdout, stderr);
  self->history_ = history_init();
  if (self->editor_ == nullptr || self->history_ == nullptr) {
    return base::fail(base::Code::kInternal, "cannot set up line editing; check TERM");
  }
  HistEvent event;
  history(self->history_, &event, H_SETSIZE, kRemembered);
  if (!kept_at.empty()) history(self->history_, &event, H_LOAD, kept_at.c_str());
  el_set(self->editor_, EL_CLIENTDATA, self.get());
  el_set(self->editor_, EL_PROMPT, &LineEditor::prompt_of);
  el_set(self->editor_, EL_EDITOR, "emacs");
  el_set(self->editor_, EL_HIST, ::history, self->history_);
  el_set(self->editor_, EL_GETCFN, &LineEditor::next_character);
  el_source(self->editor_, nullptr);  // the user's ~/.editrc
  return self;
}

LineEditor::~LineEditor() {
  if (history_ != nullptr && !history_path_.empty()) {
    HistEvent event;
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(history_path_).parent_path(), error);
    history(history_, &event, H_SAVE, history_path_.c_str());
  }
  if (history_ != nullptr) history_end(history_);
  if (editor_ != nullptr) el_end(editor_);
}

char* LineEditor::prompt_of(EditLine* editor) { return owner_of(editor)->prompt_.data(); }

// False: Ctrl-C, or nothing comes any more.
bool LineEditor::await_byte() {
  std::array<pollfd, 2> either{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{interrupts_, POLLIN, 0}};
  if (sys::retry([&] { return ::poll(either.data(), either.size(), -1); }) < 0) return false;
  was_interrupted_ = either[1].revents != 0;
  if (was_interrupted_) (void)sys::next_signal(interrupts_);
  return !was_interrupted_;
}

int LineEditor::next_character(EditLine* editor, wchar_t* character) {
  LineEditor* const self = owner_of(editor);
  std::mbstate_t state{};
  while (self->await_byte()) {
    char byte = 0;
    if (sys::retry([&] { return ::read(STDIN_FILENO, &byte, 1); }) != 1) return 0;
    const std::size_t taken = std::mbrtowc(character, &byte, 1, &state);
    if (taken == static_cast<std::size_t>(-2)) continue;  // more of it comes
    if (taken == static_cast<std::size_t>(-1)) state = {};
    if (taken <= 1) return 1;
  }
  return 0;
}

LineEditor::Read LineEditor::read(const std::string& prompt) {
  if (!is_terminal_) return read_plain();
  prompt_ = prompt;
  was_interrupted_ = false;
  int size = 0;
  // Before the prompt is shown: what is typed at once, a Ctrl-D above all, is otherwise the terminal's own to
  // interpret.
  el_set(editor_, EL_PREP_TERM, 1);
  const char* line = el_gets(editor_, &size);
  if (line != nullptr && size > 0)
    return {.end = End::kLine, .line = std::string(line, static_cast<std::size_t>(size))};
  (void)!::write(STDOUT_FILENO, "\n", 1);
  return {.end = was_interrupted_ ? End::kInterrupted : End::kOver, .line = {}};
}

LineEditor::Read LineEditor::read_plain() {
  Read read;
  char byte = 0;
  while (await_byte() && sys::retry([&] { return ::read(STDIN_FILENO, &byte, 1); }) == 1) {
    read.line += byte;
    if (byte == '\n') break;
  }
  if (was_interrupted_) return {.end = End::kInterrupted, .line = {}};
  if (!read.line.empty()) read.end = End::kLine;
  return read;
}

void LineEditor::remember(const std::string& cell) {
  if (history_ == nullptr || cell.find_first_not_of(" \t\n") == std::string::npos) return;
  HistEvent event;
  history(history_, &event, H_ENTER, cell.c_str());
}

}  // namespace cli
