#include "daemon/reader/script.h"

#include <algorithm>

#include "daemon/reader/interpreter.h"
#include "daemon/reader/naming.h"
#include "daemon/reader/shell_state.h"
#include "daemon/reader/template.h"

namespace rb::rdr {
namespace {

constexpr std::size_t kWords = 64;

std::string where(const ScriptPlace& place, std::uint32_t line) {
  const std::string number = std::to_string(place.line + line - 1);
  return place.file.empty() ? "line " + number : for_people(place.file, 200) + " line " + number;
}

// Later forms win over earlier ones: one declaration a name.
std::vector<InputDeclaration> merged(const std::vector<const Form*>& forms) {
  std::vector<InputDeclaration> out;
  for (const Form* form : forms) {
    for (const InputDeclaration& variable : form->variables) {
      const auto same = std::find_if(out.begin(), out.end(), [&](const InputDeclaration& other) {
        return other.name == variable.name;
      });
      if (same == out.end()) {
        out.push_back(variable);
      } else {
        *same = variable;
      }
    }
  }
  return out;
}

InputDeclaration* declared(Block& block, const std::string& name) {
  const auto found =
      std::find_if(block.inputs.begin(), block.inputs.end(),
                   [&](const InputDeclaration& input) { return input.name == name; });
  return found == block.inputs.end() ? nullptr : &*found;
}

// Checks what the insertions ask for; "" when all of it can be given.
std::string check_values(Block& block, const std::vector<const Form*>& forms,
                         const ScriptPlace& place) {
  const bool broken =
      std::any_of(forms.begin(), forms.end(), [](const Form* form) { return form->broken; });
  for (const Piece& piece : block.trace) {
    if (piece.kind != PieceKind::Insertion) {
      continue;
    }
    if (!piece.output.empty()) {
      return "takes the output " + for_people(piece.output, 200) + " of another block (" +
             where(place, piece.line) + "): outputs aren't carried yet";
    }
    InputDeclaration* input = declared(block, piece.input);
    if (input == nullptr) {
      const std::string name = for_people(piece.input, 200);
      return "{{ " + name + " }} (" + where(place, piece.line) + ") isn't a declared input" +
             (broken ? ": its <Inputs> can't be read"
                     : "; declare it in an <Inputs> that inputsId names, or write {{ `{{." + name +
                           "}}` }} where braces are meant");
    }
    input->required = !input->has_default;
  }
  return "";
}

std::string choose_interpreter(Block& block, Shell& shell) {
  Interpreter interpreter = interpreter_of_script(block.script);
  if (!interpreter.problem.empty()) {
    return interpreter.problem;
  }
  const bool fine = interpreter.words.size() <= kWords &&
                    std::all_of(interpreter.words.begin(), interpreter.words.end(),
                                [](const std::string& word) { return is_name(word); });
  if (!fine) {
    return "the first line (#!) can't be a command line";
  }
  shell = shell_of(interpreter);
  block.interpreter = std::move(interpreter.words);
  block.interpreter_for = std::move(interpreter.from);
  return "";
}

}  // namespace

void prepare_script(Block& block, const std::vector<const Form*>& forms, const ScriptPlace& place) {
  block.inputs = merged(forms);
  Shell shell = Shell::None;
  block.why_not = choose_interpreter(block, shell);
  if (!block.why_not.empty()) {
    return;
  }
  Template parsed = parse_template(block.script);
  if (!parsed.why_not.empty()) {
    block.why_not = where(place, parsed.why_line) + ": " + for_people(parsed.why_not, 500);
    return;
  }
  block.trace = std::move(parsed.pieces);
  block.why_not = check_values(block, forms, place);
  if (!block.why_not.empty()) {
    return;
  }
  const Placing placing = place_insertions(block.script, block.trace, shell);
  if (!placing.why_not.empty()) {
    block.why_not = where(place, placing.line) + ": " + placing.why_not;
    return;
  }
  for (Piece& piece : block.trace) {
    piece.line += place.line - 1;
  }
  block.runnable = true;
}

}  // namespace rb::rdr
