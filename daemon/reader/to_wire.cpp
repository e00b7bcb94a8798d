#include "daemon/reader/to_wire.h"

#include <algorithm>

#include "daemon/reader/naming.h"
#include "protocol/reader.capnp.h"
#include "protocol/wire.h"

namespace rb::rdr {
namespace {

constexpr std::size_t kExcerptBytes = 200;

reader::Place place_to_wire(Place place) {
  switch (place) {
    case Place::Plain:
      return reader::Place::PLAIN;
    case Place::DoubleQuoted:
      return reader::Place::DOUBLE_QUOTED;
    case Place::SingleQuoted:
      return reader::Place::SINGLE_QUOTED;
    case Place::HereDocument:
      return reader::Place::HERE_DOCUMENT;
    case Place::HarmlessOnly:
      break;
  }
  return reader::Place::HARMLESS_ONLY;
}

front::Severity severity_to_wire(Severity severity) {
  switch (severity) {
    case Severity::Refusal:
      return front::Severity::REFUSAL;
    case Severity::Error:
      return front::Severity::ERROR;
    case Severity::Warning:
      break;
  }
  return front::Severity::WARNING;
}

template <typename List>
void fill_texts(const std::vector<std::string>& from, List into) {
  for (unsigned i = 0; i < from.size(); ++i) {
    into.set(i, wire::text(from[i]));
  }
}

void fill_range(const Piece& piece, reader::Range::Builder into) {
  into.setOffset(piece.offset);
  into.setLength(piece.length);
}

void fill_piece(const Piece& piece, reader::Piece::Builder into) {
  if (piece.kind == PieceKind::Literal) {
    fill_range(piece, into.initLiteral());
    return;
  }
  if (piece.kind == PieceKind::Dropped) {
    fill_range(piece, into.initDropped());
    return;
  }
  auto insertion = into.initInsertion();
  fill_range(piece, insertion.initRange());
  insertion.setInput(wire::text(piece.input));
  insertion.setOutput(wire::text(piece.output));
  insertion.setPlace(place_to_wire(piece.place));
  insertion.setWhy(wire::text(for_people(piece.why, 500)));
  insertion.setLine(piece.line);
  insertion.setWordStart(piece.word_start);
  insertion.setNotValue(wire::text(piece.not_value));
}

void fill_input(const InputDeclaration& input, front::InputInfo::Builder into) {
  into.setName(wire::text(input.name));
  into.setType(wire::text(input.type));
  into.setDescription(wire::text(for_people(input.description)));
  into.setRequired(input.required);
  into.setHasDefault(input.has_default);
  into.setDefault(wire::data(as_bytes(input.default_value)));
  fill_texts(input.options, into.initOptions(static_cast<unsigned>(input.options.size())));
  into.setSensitive(input.sensitive);
  into.setInputsId(wire::text(input.inputs_id));
}

void fill_block(const Block& block, reader::Block::Builder into) {
  into.setId(wire::text(block.id));
  into.setType(wire::text(block.type));
  into.setLine(block.line);
  into.setKind(wire::text(block.kind));
  into.setLanguage(wire::text(block.language));
  fill_texts(block.flags, into.initFlags(static_cast<unsigned>(block.flags.size())));
  into.setTitle(wire::text(block.title));
  into.setRunnable(block.runnable);
  into.setWhyNot(wire::text(for_people(block.why_not)));
  if (block.kind != "file") {
    into.setScript(wire::data(as_bytes(block.script)));
  }
  into.setPath(wire::text(block.path));
  fill_texts(block.interpreter,
             into.initInterpreter(static_cast<unsigned>(block.interpreter.size())));
  into.setInterpreterFor(wire::text(block.interpreter_for));
  into.setTimeoutMs(block.timeout_ms);
  into.setUsePty(block.use_pty);
  fill_texts(block.inputs_ids, into.initInputsIds(static_cast<unsigned>(block.inputs_ids.size())));
  auto inputs = into.initInputs(static_cast<unsigned>(block.inputs.size()));
  for (unsigned i = 0; i < block.inputs.size(); ++i) {
    fill_input(block.inputs[i], inputs[i]);
  }
  if (block.runnable) {
    auto trace = into.initTrace(static_cast<unsigned>(block.trace.size()));
    for (unsigned i = 0; i < block.trace.size(); ++i) {
      fill_piece(block.trace[i], trace[i]);
    }
  }
}

// Where each line of the runbook begins, so that excerpts cost nothing each.
class Lines {
 public:
  explicit Lines(std::string_view source) : source_(source) {
    starts_.push_back(0);
    for (std::size_t at = 0; at < source.size(); ++at) {
      const bool pair = source[at] == '\r' && at + 1 < source.size() && source[at + 1] == '\n';
      if (source[at] == '\n' || (source[at] == '\r' && !pair)) {
        starts_.push_back(at + 1);
      }
    }
  }
  [[nodiscard]] std::string line(std::uint32_t number) const {
    if (number == 0 || number > starts_.size()) {
      return "";
    }
    const std::size_t from = starts_[number - 1];
    const std::size_t end = std::min(source_.find_first_of("\r\n", from), source_.size());
    return for_people(source_.substr(from, end - from), kExcerptBytes);
  }

 private:
  std::string_view source_;
  std::vector<std::size_t> starts_;
};

std::string shown_file(const Finding& finding, const std::string& shown_path) {
  if (finding.file.empty()) {
    return shown_path;
  }
  const std::size_t slash = shown_path.rfind('/');
  return (slash == std::string::npos ? "" : shown_path.substr(0, slash + 1)) + finding.file;
}

void fill_problem(const Finding& finding, const std::string& shown_path, const Lines& lines,
                  front::Problem::Builder into) {
  into.setSeverity(severity_to_wire(finding.severity));
  into.setFile(wire::text(for_people(shown_file(finding, shown_path), kTextBytes)));
  into.setLine(finding.line);
  into.setColumn(finding.column);
  into.setEndColumn(finding.end_column);
  into.setCode(wire::text(finding.code));
  into.setConstruct(wire::text(finding.construct));
  into.setText(wire::text(for_people(finding.text, 500)));
  into.setAdvice(wire::text(for_people(finding.advice, 500)));
  into.setBlock(wire::text(for_people(finding.block, kNameBytes)));
  if (finding.file.empty()) {
    into.setExcerpt(wire::text(lines.line(finding.line)));
  }
}

}  // namespace

Bytes loaded_to_wire(const Loaded& loaded) {
  return wire::build<reader::FromReader>([&](auto root) {
    auto tree = root.initLoaded();
    tree.setMain(wire::text(loaded.main));
    tree.setBound(loaded.bound);
    auto entries = tree.initEntries(static_cast<unsigned>(loaded.entries.size()));
    for (unsigned i = 0; i < loaded.entries.size(); ++i) {
      const LoadedEntry& from = loaded.entries[i];
      entries[i].setPath(wire::text(from.path));
      entries[i].setKind(from.kind);
      entries[i].setMode(from.mode);
      entries[i].setOffset(from.offset);
      entries[i].setLength(from.length);
    }
  });
}

Bytes answer_to_wire(const Answer& answer, const std::string& shown_path) {
  const Lines lines(answer.source);
  return wire::build<reader::FromReader>([&](auto root) {
    auto outcome = root.initRead();
    outcome.setVetted(answer.vetted);
    outcome.setFormat(wire::text(answer.format));
    outcome.setTitle(wire::text(answer.title));
    auto problems = outcome.initProblems(static_cast<unsigned>(answer.findings.size()));
    for (unsigned i = 0; i < answer.findings.size(); ++i) {
      fill_problem(answer.findings[i], shown_path, lines, problems[i]);
    }
    auto blocks = outcome.initBlocks(static_cast<unsigned>(answer.blocks.size()));
    for (unsigned i = 0; i < answer.blocks.size(); ++i) {
      fill_block(answer.blocks[i], blocks[i]);
    }
  });
}

Bytes failed_to_wire(const std::string& code, const std::string& text) {
  return wire::build<reader::FromReader>([&](auto root) {
    auto failed = root.initFailed();
    failed.setCode(wire::text(code));
    failed.setText(wire::text(for_people(text)));
  });
}

}  // namespace rb::rdr
