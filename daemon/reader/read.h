// read.h — one runbook's text into blocks and a document, or refusals.   [UNTRUSTED: reader]
// In:     the loaded folder.
// Out:    Answer: vetted or not, findings in document order, blocks (none unless vetted) and the
//         encoded Document (empty unless vetted). Shown, vetted and registered is one tree.
// Errors: ReadFailure: the folder's index is broken, or the runbook is neither .mdx nor .md.
// Source: docs/RUNBOOKS.md; DESIGN §5.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/bytes.h"
#include "daemon/reader/model.h"
#include "daemon/reader/sealed_tree.h"
#include "daemon/reader/tree/tree.h"

namespace rb::rdr {

struct Answer {
  bool vetted = false;
  std::string format;  // mdx, markdown
  std::string title;
  std::vector<Finding> findings;
  std::vector<Block> blocks;
  Bytes document;      // a flat document::Document
  std::string source;  // the runbook's text, for excerpts
};

struct ReadFailure {
  std::string code;
  std::string text;
};

// `folder` null: script files can't be looked at.
[[nodiscard]] Answer read_text(std::string_view text, Dialect dialect, const std::string& file_name,
                               const SealedTree* folder);
[[nodiscard]] std::variant<Answer, ReadFailure> read_runbook(const SealedTree& folder);

}  // namespace rb::rdr
