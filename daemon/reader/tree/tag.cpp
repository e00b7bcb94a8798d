#include "daemon/reader/tree/tag.h"

#include <utility>

#include "daemon/reader/tree/entity.h"
#include "daemon/reader/tree/js.h"
#include "daemon/reader/tree/unicode.h"

namespace rb::rdr::grammar {
namespace {

constexpr std::uint32_t kAttributes = 1000;  // of one element

class TagScanner {
 public:
  TagScanner(Stream& stream, std::uint32_t at, Context& context, Tag& tag)
      : stream_(stream), context_(context), tag_(tag), at_(at) {}

  TagScan scan();

 private:
  char peek(std::uint32_t ahead = 0) { return stream_.at(at_ + ahead); }
  CodePoint point() {
    return stream_.has(at_) ? decode_at(stream_.text.chars(), at_) : CodePoint{};
  }
  void skip_space();
  bool fail(std::string text, std::string advice = {});
  bool unclosed();
  bool read_word(std::string& name);
  bool read_name();
  bool read_name_part(bool& member, bool& local);
  bool name_ends();
  bool attributes();
  bool attribute();
  bool attribute_name(Attribute& made);
  bool attribute_value(Attribute& made);
  bool quoted(Attribute& made);
  bool braces(Attribute& made, Braces use);
  bool finish();

  Stream& stream_;
  Context& context_;
  Tag& tag_;
  std::uint32_t at_;
};

void TagScanner::skip_space() {
  while (stream_.has(at_)) {
    const CodePoint next = decode_at(stream_.text.chars(), at_);
    if (!is_space(next.value)) {
      return;
    }
    at_ += next.size;
  }
}

bool TagScanner::unclosed() {
  if (stream_.has(at_)) {
    return false;
  }
  const bool container = stream_.ended == Ended::Container;
  context_.refuse(stream_.text.offset(tag_.begin), "syntax-unclosed-tag",
                  container ? "this tag goes on beyond the list item or quote it stands in"
                            : "this tag is not closed",
                  container ? "indent its lines (or start them with >) like the first one"
                            : "close it with >, or write \\< (or &lt;) for a plain <");
  return true;
}

bool TagScanner::fail(std::string text, std::string advice) {
  if (!unclosed()) {
    context_.refuse(stream_.text.offset(at_), "syntax-tag", std::move(text), std::move(advice));
  }
  return false;
}

// A name's part: a JavaScript identifier that may hold dashes.
bool TagScanner::read_word(std::string& name) {
  const std::size_t before = name.size();
  while (stream_.has(at_)) {
    const CodePoint next = point();
    const bool fits = name.size() == before ? is_id_start(next.value)
                                            : is_id_continue(next.value) || next.value == '-';
    if (!fits) {
      break;
    }
    name += stream_.text.chars().substr(at_, next.size);
    at_ += next.size;
  }
  return name.size() > before;
}

// What may follow a name's part directly: blanks, or a character with a meaning.
bool TagScanner::name_ends() {
  if (unclosed()) {
    return false;
  }
  const CodePoint next = point();
  if (is_space(next.value) || next.value == '/' || next.value == '>' || next.value == '{' ||
      next.value == ':' || next.value == '.' || next.value == '=') {
    return true;
  }
  return fail("this character can't stand in a name",
              next.value == '@' ? "write a link as [text](address)" : "");
}

// `.member`, `:local`, any number of the first or one of the second; at_ stands on the mark.
bool TagScanner::read_name_part(bool& member, bool& local) {
  const char mark = peek();
  if (local || (mark == ':' && member)) {
    return fail("this can't follow a tag's name");
  }
  member = mark == '.';
  local = mark == ':';
  tag_.name += mark;
  ++at_;
  skip_space();
  // <https://…>: Markdown's link, which MDX hasn't.
  return read_word(tag_.name) ||
         fail(
             "a name is missing here",
             local ? "MDX has no <address> links: write the address bare, or [text](address)" : "");
}

bool TagScanner::read_name() {
  const char first = peek();
  if (!read_word(tag_.name)) {
    return fail("a tag's name can't start with this character",
                first == '!' ? "write a comment as {/* text */}"
                             : "write \\< (or &lt;) for a plain <, and a link as [text](address)");
  }
  bool member = false;
  bool local = false;
  while (name_ends()) {
    skip_space();
    const char c = peek();
    if (c == '/' || c == '>' || c == '{' || is_id_start(point().value)) {
      return true;
    }
    if (c != '.' && c != ':') {
      return fail("this can't follow a tag's name");
    }
    if (!read_name_part(member, local)) {
      return false;
    }
  }
  return false;
}

bool TagScanner::attribute_name(Attribute& made) {
  std::string name;
  read_word(name);
  if (!name_ends()) {
    return false;
  }
  std::uint32_t end = at_;
  if (peek() == '.') {
    return fail("an attribute's name can't hold a dot");
  }
  skip_space();
  if (peek() == ':') {
    name += ':';
    ++at_;
    skip_space();
    if (!read_word(name)) {
      return fail("a name is missing here");
    }
    end = at_;
    if (!name_ends()) {
      return false;
    }
    if (peek() == ':' || peek() == '.') {
      return fail("this can't stand in an attribute's name");
    }
    skip_space();
  }
  made.name = context_.keep(name);
  made.span.end.offset = stream_.text.offset(end);
  return true;
}

// The reference implementation drops every blank after a line ending within quotes; `verbatim`
// keeps them.
bool TagScanner::quoted(Attribute& made) {
  const char quote = peek();
  ++at_;
  made.value_start.offset = stream_.text.offset(at_);
  std::string value;
  std::string verbatim;
  bool after_line = false;
  bool dropped = false;
  while (peek() != quote) {
    if (!stream_.has(at_)) {
      context_.refuse(made.value_start.offset - 1, "syntax-unclosed-quote",
                      "this attribute's value is not closed",
                      std::string("close it with ") + quote);
      return false;
    }
    const CodePoint next = point();
    const std::string_view chars = stream_.text.chars().substr(at_, next.size);
    after_line = chars == "\n" || (after_line && is_space(next.value));
    if (chars == "\n" || !after_line) {
      value += chars;
    } else {
      dropped = true;
    }
    verbatim += chars;
    at_ += next.size;
  }
  ++at_;
  made.kind = AttributeKind::String;
  made.value = context_.keep(decode_references(value, References::Attribute));
  made.verbatim =
      dropped ? context_.keep(decode_references(verbatim, References::Attribute)) : made.value;
  return true;
}

bool TagScanner::braces(Attribute& made, Braces use) {
  const std::uint32_t open = at_;
  const JsResult read = parse_braces(stream_, open, context_, use);
  if (!read.ok) {
    return false;
  }
  made.kind = use == Braces::Spread ? AttributeKind::Spread : AttributeKind::Expression;
  made.literal = read.literal;
  made.partial = read.partial;
  made.value = context_.keep(stream_.text.chars().substr(open + 1, read.after - open - 2));
  made.value_start.offset = stream_.text.offset(open + 1);
  at_ = read.after;
  return true;
}

// What stands after `=`, if that stands here.
bool TagScanner::attribute_value(Attribute& made) {
  if (peek() != '=') {
    return true;
  }
  ++at_;
  skip_space();
  switch (peek()) {
    case '"':
    case '\'':
      return quoted(made);
    case '{':
      return braces(made, Braces::Value);
    default:
      return fail("an attribute's value must be in quotes or braces",
                  "write name=\"value\" or name={value}");
  }
}

bool TagScanner::attribute() {
  Attribute made;
  made.span.start.offset = stream_.text.offset(at_);
  if (tag_.closing) {
    return fail("a closing tag has no attributes");
  }
  if (++tag_.attribute_count > kAttributes) {
    return fail("this element has too many attributes");
  }
  const bool read =
      peek() == '{' ? braces(made, Braces::Spread) : attribute_name(made) && attribute_value(made);
  if (!read) {
    return false;
  }
  if (made.kind != AttributeKind::Bare) {
    made.span.end.offset = stream_.text.offset(at_ - 1) + 1;
  }
  context_.tree.attributes.push_back(made);
  return true;
}

bool TagScanner::attributes() {
  tag_.first_attribute = static_cast<std::uint32_t>(context_.tree.attributes.size());
  while (true) {
    skip_space();
    if (unclosed()) {
      return false;
    }
    const char c = peek();
    if (c == '/' || c == '>') {
      return true;
    }
    if (c != '{' && !is_id_start(point().value)) {
      return fail("this can't stand among attributes",
                  c == '"' || c == '\\' ? "within quotes write &quot; for a quote" : "");
    }
    if (!attribute()) {
      return false;
    }
  }
}

bool TagScanner::finish() {
  if (peek() == '/') {
    if (tag_.closing) {
      return fail("a closing tag can't close itself");
    }
    tag_.self_closing = true;
    ++at_;
    skip_space();
  }
  if (peek() != '>') {
    return fail("`>` is missing at the end of this tag");
  }
  ++at_;
  tag_.after = at_;
  return true;
}

TagScan TagScanner::scan() {
  tag_.begin = at_;
  ++at_;
  // A blank or the end of the line after `<`: no tag. A paragraph's last character is an error.
  if (stream_.at_line_end(at_) && (stream_.more || at_ < stream_.text.size())) {
    return TagScan::No;
  }
  if (peek() == ' ' || peek() == '\t') {
    return TagScan::No;
  }
  skip_space();
  if (peek() == '/') {
    tag_.closing = true;
    ++at_;
    skip_space();
  }
  if ((peek() == '>' || read_name()) && attributes() && finish()) {
    return TagScan::Yes;
  }
  // Callers rely on a refusal; the first one counts.
  fail("this is not a tag");
  return TagScan::Refused;
}

}  // namespace

TagScan scan_tag(Stream& stream, std::uint32_t at, Context& context, Tag& tag) {
  return TagScanner(stream, at, context, tag).scan();
}

}  // namespace rb::rdr::grammar
