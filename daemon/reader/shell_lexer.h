// shell_lexer.h — a linear reading of a bash or sh script with values in it.
// [UNTRUSTED: reader]
// In:     the text with insertions taken out, and where they stood.
// Out:    a decision for each insertion. One pass with an explicit stack; every character is looked
//         at a bounded number of times.
// Errors: lost(): from some line on the script isn't understood, so no place in it is trusted;
//         failed(): a value could change what the rest of the script means.
// Source: docs/RUNBOOKS.md §Values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/reader/interpreter.h"
#include "daemon/reader/model.h"
#include "daemon/reader/shell_flow.h"
#include "daemon/reader/shell_frames.h"

namespace rb::rdr {

struct Decision {
  Place place = Place::Plain;
  bool word_start = false;
  std::string not_value;
};

class ShellLexer {
 public:
  // `cuts`: offsets into the text, ascending, one for each insertion.
  ShellLexer(std::string_view text, std::vector<std::size_t> cuts, Shell shell);

  void run();

  [[nodiscard]] const std::string& lost() const { return lost_; }
  [[nodiscard]] const std::string& failed() const { return failed_; }
  [[nodiscard]] std::size_t stopped_at() const { return pos_; }
  [[nodiscard]] const std::vector<Decision>& decisions() const { return decisions_; }
  [[nodiscard]] const ShellFlow& flow() const { return flow_; }

 private:
  struct PendingDocument {
    std::string delimiter;
    bool quoted = false;
    bool strip = false;
    std::uint32_t level = 0;  // substitutions around it
    std::string variable;
  };

  // shell_lexer.cpp: the text, the stack, words.
  [[nodiscard]] bool stopped() const { return !lost_.empty() || !failed_.empty(); }
  void lose(std::string why);
  void fail(std::string why);
  [[nodiscard]] bool cut_at(std::size_t offset) const;
  [[nodiscard]] bool ahead(std::string_view text) const;
  [[nodiscard]] char ahead_one() const;
  void step();
  void finish();
  void take_insertion();
  void step_commands();
  void step_array();
  void step_test();
  void step_quoted();
  void step_parameter();
  void step_arithmetic();
  bool step_shared(bool quoted);
  void escape(bool quoted);
  void newline_within();
  Frame& top() { return frames_.back(); }
  Frame& owner();
  Frame& push(FrameKind kind);
  void open_word();
  void literal(char c, bool quoted);
  void unknown_part();
  [[nodiscard]] bool splits();
  void comment();

  // shell_expand.cpp: quotes and expansions.
  void single_quote();
  void ansi_quote();
  void back_quote();
  void raw_until(char end, bool escapes);
  void dollar(bool quoted);
  void variable(bool quoted);
  void open_parameter(bool quoted);
  void parameter_name(bool quoted);
  void close_parameter();
  void quote_in_parameter();
  Frame& open_substitution(bool process);
  void close_arithmetic();
  void use(std::string_view name, bool quoted);
  [[nodiscard]] std::size_t name_end(std::size_t from) const;

  // shell_grammar.cpp: words and keywords; shell_compound.cpp: operators and what they end.
  void end_word();
  void start_word(const Word& word);
  void command_word(const Word& word);
  void argument_word(const Word& word);
  void expected_word(const Word& word);
  void loop_word(const Word& word, ItemRange items);
  void loop_over_parameters();
  void test_word(const Word& word);
  void pattern_word(const Word& word);
  bool keyword(const std::string& word);
  bool opening_keyword(const std::string& word);
  bool middle_keyword(const std::string& word);
  bool closing_keyword(const std::string& word);
  void operator_char(char c);
  void newline();
  void redirect(char c);
  void open_paren();
  void close_paren();
  void define_function();
  void equals();
  void semicolon();
  void open_compound(FrameKind kind);
  void close_compound();
  void close_substitution();
  bool in_pattern();
  void end_stage();
  void end_pipeline();
  void reset_command();

  // shell_commands.cpp: what a command does with its values.
  void judge(Command& command);
  void judge_program(Command& command);
  void judge_arguments(Command& command);
  void judge_declaration(const Command& command);
  void judge_names(const Command& command);
  void judge_printf(const Command& command);
  void judge_test(const Command& command);
  bool judge_git(const Command& command);
  void feed(Command& command);
  void assigned(const Word& word);
  [[nodiscard]] ItemRange arguments_of(const Command& command) const {
    return {command.arguments_first, flow_.next()};
  }

  // shell_documents.cpp: here-documents.
  void note_document(const Word& word, bool strip);
  void start_documents();
  bool find_end(const PendingDocument& document, std::size_t& end, std::size_t& resume);
  void guard_line(const PendingDocument& document, std::size_t start, std::size_t end);
  void read_quoted_document(const PendingDocument& document, std::size_t end);
  void end_document();

  std::string_view text_;
  std::vector<std::size_t> cuts_;
  Shell shell_;
  std::size_t pos_ = 0;
  std::size_t limit_ = 0;     // reading ends here: the text's end, or a here-document's
  std::size_t cut_ = 0;       // the next of cuts_
  bool name_before_ = false;  // a variable's name ends right here
  std::vector<Frame> frames_;
  std::vector<PendingDocument> pending_;
  std::uint32_t level_ = 0;  // substitutions open
  std::uint32_t documents_ = 0;
  bool function_reads_code_ = false;
  std::vector<std::pair<std::string, ItemRange>> calls_;  // of what may be a function
  std::vector<std::string> functions_;
  std::vector<std::string> integers_;  // declare -i
  std::vector<Decision> decisions_;
  ShellFlow flow_;
  std::string lost_;
  std::string failed_;
};

}  // namespace rb::rdr
