// JSON in both directions: what parses can be written, and parses again to the same.
#include "common/json_reader.h"
#include "common/json_writer.h"
#include "tests/fuzz/fuzz.h"

namespace {

void write(rb::JsonWriter& out, const rb::Json& value) {  // NOLINT(misc-no-recursion): 16 levels
  switch (value.kind()) {
    case rb::Json::Kind::Null:
      out.null();
      break;
    case rb::Json::Kind::Boolean:
      out.boolean(value.boolean());
      break;
    case rb::Json::Kind::Number:
      if (value.natural()) {
        out.unsigned_number(*value.natural());
      } else {
        out.signed_number(value.number().value_or(0));
      }
      break;
    case rb::Json::Kind::Text:
      out.text(value.text());
      break;
    case rb::Json::Kind::Array:
      out.begin_array();
      for (const rb::Json& item : value.items()) {
        write(out, item);
      }
      out.end_array();
      break;
    case rb::Json::Kind::Object:
      out.begin_object();
      for (std::size_t i = 0; i < value.items().size(); ++i) {
        out.key(value.names()[i]);
        write(out, value.items()[i]);
      }
      out.end_object();
      break;
  }
}

std::string written(const rb::Json& value) {
  rb::JsonWriter out;
  write(out, value);
  return out.take();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto value = rb::parse_json(rb::as_text({data, size}));
  if (!value) {
    return 0;
  }
  const std::string text = written(*value);
  const auto again = rb::parse_json(text);
  rb::fuzz::must(again.ok() && written(*again) == text);
  rb::fuzz::planted(value->is(rb::Json::Kind::Object) && value->items().size() == 2);
  return 0;
}
