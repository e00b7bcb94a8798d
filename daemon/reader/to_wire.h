// to_wire.h — the reader's answers as reader.capnp messages.   [UNTRUSTED: reader]
// Texts for people are made to fit: valid UTF-8, bounded, the source line beside each problem.
#pragma once

#include <string>

#include "common/bytes.h"
#include "daemon/reader/load.h"
#include "daemon/reader/read.h"

namespace rb::rdr {

[[nodiscard]] Bytes loaded_to_wire(const Loaded& loaded);
[[nodiscard]] Bytes answer_to_wire(const Answer& answer, const std::string& shown_path);
[[nodiscard]] Bytes failed_to_wire(const std::string& code, const std::string& text);

}  // namespace rb::rdr
