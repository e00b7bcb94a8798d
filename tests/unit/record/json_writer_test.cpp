#include "common/json_writer.h"

#include <doctest/doctest.h>

namespace {

std::string text_of(std::string_view value) {
  return rb::JsonWriter().text(value).take();
}

}  // namespace

TEST_CASE("json_writer: fields, arrays and objects nest with commas where they belong") {
  rb::JsonWriter json;
  json.begin_object().field("a", 1).field("b", "x").field("c", true);
  json.key("d").begin_array().end_array();
  json.key("e").begin_array().text("one").unsigned_number(2).null();
  json.begin_object().end_object().begin_object().field("f", -3).end_object().end_array();
  json.key("g").begin_object().end_object();
  json.field("h", std::uint64_t{18446744073709551615u}).end_object();
  CHECK(json.take() == R"({"a":1,"b":"x","c":true,"d":[],"e":["one",2,null,{},{"f":-3}],"g":{},)"
                       R"("h":18446744073709551615})");
  CHECK(json.view().empty());
}

TEST_CASE("json_writer: text that ends in a bracket or colon doesn't swallow the next comma") {
  rb::JsonWriter json;
  json.begin_array().text("{").text("[").text(":").text(",").end_array();
  CHECK(json.take() == R"(["{","[",":",","])");
}

TEST_CASE("json_writer: quotes, backslashes and every control character are escaped") {
  CHECK(text_of("a\"b\\c") == R"("a\"b\\c")");
  CHECK(text_of("\n\r\t") == R"("\n\r\t")");
  for (int c = 0; c < 0x20; ++c) {
    const std::string written = text_of(std::string(1, static_cast<char>(c)));
    for (const char out : written) {
      CHECK(static_cast<unsigned char>(out) >= 0x20);
    }
  }
  CHECK(text_of(std::string_view("\0", 1)) == R"("\u0000")");
  CHECK(text_of("\x1b[31m") == R"("\u001b[31m")");
  CHECK(text_of("\x7f") == R"("\u007f")");
}

TEST_CASE("json_writer: what a terminal or a script would obey beyond ASCII is escaped too") {
  CHECK(text_of("\u0080\u009b\u009f\u00a0") == "\"\\u0080\\u009b\\u009f\u00a0\"");
  CHECK(text_of("\u2028\u2029") == R"("\u2028\u2029")");
  CHECK(text_of("\u200e\u200f\u202a\u202e\u2066\u2069") ==
        R"("\u200e\u200f\u202a\u202e\u2066\u2069")");
  CHECK(text_of("\u2027\u202f\u2065\u206a") == "\"\u2027\u202f\u2065\u206a\"");
}

TEST_CASE("json_writer: other characters stand as they are") {
  CHECK(text_of("grüße 日本 😀 </script>") == "\"grüße 日本 😀 </script>\"");
}

TEST_CASE("json_writer: text replaces malformed UTF-8, bytes keeps every byte") {
  const std::string latin = "caf\xe9";
  CHECK(text_of(latin) == "\"caf\ufffd\"");
  CHECK(rb::JsonWriter().bytes(rb::as_bytes(latin)).take() == R"({"base64":"Y2Fm6Q=="})");
  CHECK(rb::JsonWriter().bytes(rb::as_bytes("plain")).take() == R"("plain")");
  rb::JsonWriter json;
  json.begin_object().field("a", rb::as_bytes("\xff")).field("b", rb::as_bytes("")).end_object();
  CHECK(json.take() == R"({"a":{"base64":"/w=="},"b":""})");
}

TEST_CASE("json_writer: a hostile key is escaped like any text") {
  CHECK(rb::JsonWriter().begin_object().field("a\":1,\"b", 2).end_object().take() ==
        R"({"a\":1,\"b":2})");
}
