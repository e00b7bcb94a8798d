#include "daemon/reader/template.h"

#include <algorithm>
#include <array>

namespace rb::rdr {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_blank(char c) {
  return kBlanks.find(c) != std::string_view::npos;
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr std::array kControl = {"if",     "else",     "end",   "range", "with",
                                 "define", "template", "block", "break", "continue"};

class TemplateReader {
 public:
  explicit TemplateReader(std::string_view script) : script_(script) {}

  Template read() {
    std::size_t at = 0;
    while (out_.why_not.empty()) {
      const std::size_t open = script_.find("{{", at);
      if (open == std::string_view::npos) {
        break;
      }
      at = read_action(open);
    }
    if (out_.why_not.empty()) {
      literal_until(script_.size());
    } else {
      out_.pieces.clear();
    }
    return std::move(out_);
  }

 private:
  std::size_t fail(std::size_t at, std::string why) {
    out_.why_line = line_of(at);
    out_.why_not = std::move(why);
    return script_.size();
  }
  // Actions come in order, so counting goes on where it stopped.
  std::uint32_t line_of(std::size_t at) {
    at = std::min(at, script_.size());
    if (at >= counted_) {
      line_ += static_cast<std::uint32_t>(
          std::count(script_.begin() + static_cast<std::ptrdiff_t>(counted_),
                     script_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      counted_ = at;
    }
    return line_;
  }

  void push(PieceKind kind, std::size_t from, std::size_t to) {
    if (to > from) {
      Piece piece;
      piece.kind = kind;
      piece.offset = static_cast<std::uint32_t>(from);
      piece.length = static_cast<std::uint32_t>(to - from);
      out_.pieces.push_back(std::move(piece));
    }
    done_ = to;
  }
  void literal_until(std::size_t at) {
    if (at > done_) {
      push(PieceKind::Literal, done_, at);
    }
  }

  struct Action {
    std::size_t open;   // of the opening braces, trimmed blanks before them included
    std::size_t begin;  // inside
    std::size_t end;
    std::size_t close;  // after the closing braces and what they trim
  };

  // Reads one action; answers where the next search starts.
  std::size_t read_action(std::size_t open) {
    Action action{open, open + 2, 0, 0};
    if (script_.substr(action.begin).starts_with("-") && action.begin + 1 < script_.size() &&
        is_blank(script_[action.begin + 1])) {
      ++action.begin;
      while (action.open > done_ && is_blank(script_[action.open - 1])) {
        --action.open;
      }
    }
    std::size_t from = action.begin;
    while (from < script_.size() && is_blank(script_[from])) {
      ++from;
    }
    const bool comment = script_.substr(from).starts_with("/*");
    if (!find_end(from, comment, action)) {
      return fail(open, "a {{ that no }} closes");
    }
    literal_until(action.open);
    if (comment) {
      push(PieceKind::Dropped, action.open, action.close);
      return action.close;
    }
    return read_value(action);
  }

  // The end of the action's inside, past strings and comments, and what the closing braces trim.
  bool find_end(std::size_t from, bool comment, Action& action) const {
    std::size_t at = from;
    if (comment) {
      at = script_.find("*/", from + 2);
      if (at == std::string_view::npos) {
        return false;
      }
      at += 2;
    }
    char quote = 0;
    for (; at < script_.size(); ++at) {
      const char c = script_[at];
      if (quote != 0) {
        if (c == '\\' && quote != '`') {
          ++at;
        } else if (c == quote) {
          quote = 0;
        } else if (c == '\n' && quote != '`') {
          return false;
        }
      } else if (c == '"' || c == '`' || c == '\'') {
        quote = c;
      } else if (c == '}' && script_.substr(at).starts_with("}}")) {
        return set_end(at, action);
      }
    }
    return false;
  }
  bool set_end(std::size_t at, Action& action) const {
    action.end = at;
    action.close = at + 2;
    if (at >= action.begin + 2 && script_[at - 1] == '-' && is_blank(script_[at - 2])) {
      action.end = at - 1;
      while (action.close < script_.size() && is_blank(script_[action.close])) {
        ++action.close;
      }
    }
    return true;
  }

  std::size_t read_value(const Action& action) {
    std::size_t begin = action.begin;
    std::size_t end = action.end;
    while (begin < end && is_blank(script_[begin])) {
      ++begin;
    }
    while (end > begin && is_blank(script_[end - 1])) {
      --end;
    }
    const std::string_view inside = script_.substr(begin, end - begin);
    if (inside.empty()) {
      return fail(begin, "{{ }} with nothing in it");
    }
    if (inside[0] == '"' || inside[0] == '`') {
      return read_text(action, begin, inside);
    }
    if (inside[0] == '.') {
      return read_field(action, inside);
    }
    return fail(begin, why_not(inside));
  }

  static std::string why_not(std::string_view inside) {
    std::size_t length = 0;
    while (length < inside.size() && (is_letter(inside[length]) || is_digit(inside[length]))) {
      ++length;
    }
    const std::string word(inside.substr(0, length));
    if (std::find(kControl.begin(), kControl.end(), word) != kControl.end()) {
      return "{{ " + word + " }}: templates with control flow come later";
    }
    if (inside[0] == '$') {
      return "a template variable ($name): templates with control flow come later";
    }
    if (word.empty()) {
      return "{{ }} that isn't a value such as {{ .inputs.Name }}";
    }
    return "{{ " + word + " ... }}: template functions come later";
  }

  // {{ "text" }}: the text itself stays, what stands around it is dropped.
  std::size_t read_text(const Action& action, std::size_t begin, std::string_view inside) {
    const char quote = inside[0];
    const std::size_t last = inside.find(quote, 1);
    if (last != inside.size() - 1) {
      return fail(begin, last == std::string_view::npos ? "text in {{ }} that doesn't end"
                                                        : why_not_pipeline());
    }
    const std::string_view text = inside.substr(1, last - 1);
    if (quote == '"' && text.find('\\') != std::string_view::npos) {
      return fail(begin, "a backslash in {{ \"...\" }}: write {{ `...` }} instead");
    }
    push(PieceKind::Dropped, action.open, begin + 1);
    push(PieceKind::Literal, begin + 1, begin + 1 + text.size());
    push(PieceKind::Dropped, begin + 1 + text.size(), action.close);
    return action.close;
  }
  static std::string why_not_pipeline() { return "{{ ... | ... }}: template functions come later"; }

  std::size_t read_field(const Action& action, std::string_view inside) {
    std::vector<std::string> names;
    std::size_t at = 0;
    while (at < inside.size() && inside[at] == '.') {
      const std::size_t from = ++at;
      while (at < inside.size() && (is_letter(inside[at]) ||
                                    (at > from && (is_digit(inside[at]) || inside[at] == '-')))) {
        ++at;
      }
      names.emplace_back(inside.substr(from, at - from));
    }
    const std::size_t place = action.begin;
    if (at != inside.size()) {
      return fail(place, inside.find('|', at) != std::string_view::npos || is_blank(inside[at])
                             ? why_not_pipeline()
                             : "{{ }} that isn't a value such as {{ .inputs.Name }}");
    }
    Piece piece;
    piece.kind = PieceKind::Insertion;
    if (std::string why = name_value(names, piece); !why.empty()) {
      return fail(place, std::move(why));
    }
    if (++insertions_ > kInsertions) {
      return fail(place, "more than " + std::to_string(kInsertions) + " values in one script");
    }
    piece.offset = static_cast<std::uint32_t>(action.open);
    piece.length = static_cast<std::uint32_t>(action.close - action.open);
    piece.line = line_of(place);
    out_.pieces.push_back(std::move(piece));
    done_ = action.close;
    return action.close;
  }

  static std::string name_value(const std::vector<std::string>& names, Piece& piece) {
    const bool named = std::none_of(names.begin(), names.end(),
                                    [](const std::string& name) { return name.empty(); });
    if (!named) {
      return "{{ . }}: templates with control flow come later";
    }
    if (names[0] == "outputs") {
      if (names.size() != 3) {
        return "an output is written {{ .outputs.block.key }}";
      }
      std::string block = names[1];
      std::replace(block.begin(), block.end(), '-', '_');  // one name for set-up and set_up
      piece.output = block + "." + names[2];
      return "";
    }
    const bool prefixed = names[0] == "inputs";
    if (names.size() != (prefixed ? 2U : 1U)) {
      return prefixed && names.size() == 1 ? "an input is written {{ .inputs.Name }}"
                                           : "a part of an input: templates of lists and maps come "
                                             "later";
    }
    piece.input = names.back();
    return "";
  }

  std::string_view script_;
  Template out_;
  std::size_t done_ = 0;  // pieces cover the script up to here
  std::size_t counted_ = 0;
  std::uint32_t line_ = 1;
  std::size_t insertions_ = 0;
};

}  // namespace

Template parse_template(std::string_view script) {
  return TemplateReader(script).read();
}

std::vector<Piece> as_literal(std::string_view script) {
  std::vector<Piece> out;
  if (!script.empty()) {
    Piece piece;
    piece.length = static_cast<std::uint32_t>(script.size());
    out.push_back(std::move(piece));
  }
  return out;
}

}  // namespace rb::rdr
