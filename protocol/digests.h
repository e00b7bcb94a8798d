// digests.h — what is shown, requested and run is named by these digests.   [broker, client]
// Both ends compute them from what a reader said: the broker from the bytes it sealed, `runbookctl
// check` from its own reading, and so a digest seen in a pull request is the one that runs.
// Fields are length-prefixed (common/digest.h) and stand in one order behind a format number; a
// change of any of this is a new number. Written down with test vectors: docs/PROTOCOL.md §Digests.
#pragma once

#include "common/digest.h"
#include "protocol/reader.capnp.h"
#include "protocol/wire.h"

namespace rb {

namespace detail {
inline void add_words(Hasher& hasher, capnp::List<capnp::Text>::Reader words) {
  hasher.field(std::uint64_t{words.size()});
  for (const auto word : words) {
    hasher.field(wire::text(word));
  }
}
inline void add_range(Hasher& hasher, reader::Range::Reader range) {
  hasher.field(std::uint64_t{range.getOffset()}).field(std::uint64_t{range.getLength()});
}
inline void add_trace(Hasher& hasher, capnp::List<reader::Piece>::Reader trace) {
  hasher.field(std::uint64_t{trace.size()});
  for (const auto piece : trace) {
    hasher.field(static_cast<std::uint64_t>(piece.which()));
    if (piece.isLiteral()) {
      add_range(hasher, piece.getLiteral());
    } else if (piece.isDropped()) {
      add_range(hasher, piece.getDropped());
    } else if (piece.isInsertion()) {
      const auto it = piece.getInsertion();
      add_range(hasher, it.getRange());
      hasher.field(wire::text(it.getInput())).field(wire::text(it.getOutput()));
      hasher.field(wire::text(it.getNotValue()));
      hasher.field(static_cast<std::uint64_t>(it.getPlace()));
      hasher.field(std::uint64_t{it.getWordStart()});
    }
  }
}
inline void add_inputs(Hasher& hasher, capnp::List<front::InputInfo>::Reader inputs) {
  hasher.field(std::uint64_t{inputs.size()});
  for (const auto input : inputs) {
    hasher.field(wire::text(input.getName())).field(wire::text(input.getType()));
    hasher.field(std::uint64_t{input.getRequired()}).field(std::uint64_t{input.getHasDefault()});
    hasher.field(ByteView(input.getDefault().begin(), input.getDefault().size()));
    add_words(hasher, input.getOptions());
    hasher.field(std::uint64_t{input.getSensitive()}).field(wire::text(input.getInputsId()));
  }
}
}  // namespace detail

// Of one executable: `script` are its template bytes, whether inline or a file's.
[[nodiscard]] inline Digest executable_digest(reader::Block::Reader block, ByteView script) {
  Hasher hasher;
  hasher.field("runbookd executable").field(std::uint64_t{1});
  hasher.field(wire::text(block.getId())).field(wire::text(block.getType()));
  hasher.field(wire::text(block.getKind())).field(wire::text(block.getLanguage()));
  hasher.field(wire::text(block.getPath()));
  detail::add_words(hasher, block.getInterpreter());
  hasher.field(script);
  detail::add_trace(hasher, block.getTrace());
  detail::add_inputs(hasher, block.getInputs());
  detail::add_words(hasher, block.getInputsIds());
  hasher.field(std::uint64_t{block.getTimeoutMs()}).field(std::uint64_t{block.getUsePty()});
  hasher.field(wire::text(block.getProfile()));
  return hasher.digest();
}

// Of an operation: all that it asks for and who asks, without its boxes, which are sealed anew for
// each broker. What a request id stands for, and what a box of secrets is bound to.
[[nodiscard]] inline Digest operation_digest(front::Operation::Reader operation, front::Role role) {
  capnp::MallocMessageBuilder copy;
  copy.setRoot(operation);
  auto root = copy.getRoot<front::Operation>();
  if (root.isStart()) {
    root.getStart().disownSecrets();
  } else if (root.isStartSession()) {
    root.getStartSession().disownEnvironment();
  } else if (root.isEnvironment()) {
    root.getEnvironment().disownBox();
  } else if (root.isReplaceEnvironment()) {
    root.getReplaceEnvironment().disownBox();
  }
  const kj::Array<capnp::word> words = capnp::canonicalize(root.asReader());
  const auto bytes = words.asBytes();
  return Hasher()
      .field("runbookd operation")
      .field(std::uint64_t{1})
      .field(static_cast<std::uint64_t>(role))
      .field(ByteView(bytes.begin(), bytes.size()))
      .digest();
}

}  // namespace rb
