// document.h — the vetted tree as frontends draw it.   [UNTRUSTED: reader]
// Out:    a flat document::Document: mdast's kinds, no markup, no authority. Comments and
//         definitions are left out, references have what they refer to, URLs that could run code
//         and attributes off the allow-list are dropped.
// Source: protocol/document.capnp.
#pragma once

#include <string>

#include "common/bytes.h"
#include "daemon/reader/reading.h"

namespace rb::rdr {

[[nodiscard]] Bytes encode_document(const Reading& reading, const std::string& title);

}  // namespace rb::rdr
