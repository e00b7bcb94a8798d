#include "client/ctl/inputs.h"

#include <fcntl.h>

#include <algorithm>

#include "client/lib/escape.h"
#include "client/lib/text.h"
#include "common/io.h"
#include "common/json_reader.h"
#include "common/json_writer.h"
#include "protocol/limits.h"

namespace rb::ctl {
namespace {

using client::BlockInfo;
using client::InputInfo;
using Blocks = std::vector<const BlockInfo*>;

bool fits(const GivenInput& given, const InputInfo& info) {
  return given.name == info.name && (given.inputs_id.empty() || given.inputs_id == info.inputs_id);
}

const InputInfo* declared(const Blocks& blocks, const GivenInput& given) {
  for (const BlockInfo* block : blocks) {
    for (const InputInfo& info : block->inputs) {
      if (fits(given, info)) {
        return &info;
      }
    }
  }
  return nullptr;
}

bool any_sensitive(const Blocks& blocks, const GivenInput& given) {
  return std::any_of(blocks.begin(), blocks.end(), [&](const BlockInfo* block) {
    return std::any_of(block->inputs.begin(), block->inputs.end(),
                       [&](const InputInfo& info) { return info.sensitive && fits(given, info); });
  });
}

bool is_inputs_id(const Blocks& blocks, const std::string& id) {
  return std::any_of(blocks.begin(), blocks.end(), [&](const BlockInfo* block) {
    return std::any_of(block->inputs.begin(), block->inputs.end(),
                       [&](const InputInfo& info) { return info.inputs_id == id; });
  });
}

GivenInput split_name(const std::string& name, std::string value) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) {
    return {"", name, std::move(value)};
  }
  return {name.substr(0, dot), name.substr(dot + 1), std::move(value)};
}

Error undeclared(const Blocks& blocks, const GivenInput& given) {
  std::vector<std::string> names;
  for (const BlockInfo* block : blocks) {
    for (const InputInfo& info : block->inputs) {
      names.push_back(info.name);
    }
  }
  const std::string near = client::closest(given.name, names);
  return error(Code::Invalid,
               "no block that is to run declares the input " + client::label(given.name) +
                   (near.empty() ? "" : "; did you mean " + client::label(near) + "?"));
}

// As JSON; numbers as they were spelled.
std::string spelled(const Json& value) {
  std::string out;
  const auto items = [&](char open, char close, auto&& name) {
    out += open;
    for (std::size_t i = 0; i < value.items().size(); ++i) {
      out += (i == 0 ? "" : ",") + name(i) + spelled(value.items()[i]);
    }
    out += close;
  };
  const auto quoted = [](const std::string& text) { return JsonWriter().text(text).take(); };
  switch (value.kind()) {
    case Json::Kind::Null:
      return "null";
    case Json::Kind::Boolean:
      return value.boolean() ? "true" : "false";
    case Json::Kind::Number:
      return !value.text().empty() ? value.text()
             : value.natural()     ? std::to_string(*value.natural())
                                   : std::to_string(value.number().value_or(0));
    case Json::Kind::Text:
      return quoted(value.text());
    case Json::Kind::Array:
      items('[', ']', [](std::size_t) { return std::string(); });
      return out;
    case Json::Kind::Object:
      items('{', '}', [&](std::size_t i) { return quoted(value.names()[i]) + ":"; });
      return out;
  }
  return out;
}

// A text as it is, anything else as JSON: lists and maps too, which is how scripts get them.
std::string input_text(const Json& value) {
  return value.is(Json::Kind::Text) ? value.text() : spelled(value);
}

bool must_be_given(const InputInfo& info) {
  return info.required && !info.has_default;
}

std::string question(const InputInfo& info) {
  std::string out = "  " + client::label(info.name);
  if (!info.description.empty()) {
    out += " (" + client::label(info.description) + ")";
  }
  if (!info.options.empty()) {
    out += " [";
    for (const std::string& option : info.options) {
      out += (out.back() == '[' ? "" : "|") + client::label(option);
    }
    out += "]";
  }
  return out + ": ";
}

}  // namespace

Got<Inputs> Inputs::from_arguments(const Context& context, const Arguments& arguments,
                                   const Blocks& blocks) {
  Got<Inputs> out;
  Inputs inputs;
  for (const std::string& file : arguments.values("--inputs")) {
    if (Status added = inputs.add_file(file, blocks); !added) {
      out.status =
          context.fail(kFailure, "--inputs " + client::label(file) + ": " + added.failure().text());
      return out;
    }
  }
  for (const std::string& word : arguments.values("--input")) {
    if (Status added = inputs.add_word(word, blocks); !added) {
      out.status = context.fail(kFailure, added.failure().text());
      return out;
    }
  }
  out.value = std::move(inputs);
  return out;
}

Status Inputs::add_word(const std::string& word, const Blocks& blocks) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) {
    return error(Code::Invalid, "--input takes NAME=VALUE or ID.NAME=VALUE");
  }
  GivenInput given = split_name(word.substr(0, equals), word.substr(equals + 1));
  const InputInfo* info = declared(blocks, given);
  if (info == nullptr) {
    return undeclared(blocks, given);
  }
  if (any_sensitive(blocks, given)) {  // every process of the machine can read an argument
    return error(Code::Invalid, client::label(given.name) +
                                    " is sensitive: give it on the terminal or with --inputs FILE");
  }
  given_.push_back(std::move(given));
  return done();
}

Status Inputs::add_file(const std::string& path, const Blocks& blocks) {
  const Fd file(path == "-" ? ::dup(0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return errno_error("open");
  }
  const Result<Bytes> bytes = read_all(file.get(), limits::kInputsBytes);
  if (!bytes) {
    return bytes.failure();
  }
  const Result<Json> parsed = parse_json(as_text(*bytes), Fractions::Keep);
  if (!parsed) {
    return parsed.failure();
  }
  if (!parsed->is(Json::Kind::Object)) {
    return error(Code::Invalid, "holds no JSON object of names and values");
  }
  for (std::size_t i = 0; i < parsed->names().size(); ++i) {
    const std::string& key = parsed->names()[i];
    const Json& value = parsed->items()[i];
    if (value.is(Json::Kind::Object) && is_inputs_id(blocks, key)) {
      add_form(key, value);
    } else if (!value.is(Json::Kind::Null)) {  // as if it weren't there
      given_.push_back(split_name(key, input_text(value)));
    }
  }
  for (const GivenInput& given : given_) {
    if (declared(blocks, given) == nullptr) {
      return undeclared(blocks, given);
    }
  }
  return done();
}

void Inputs::add_form(const std::string& inputs_id, const Json& values) {
  for (std::size_t i = 0; i < values.names().size(); ++i) {
    if (!values.items()[i].is(Json::Kind::Null)) {
      given_.push_back({inputs_id, values.names()[i], input_text(values.items()[i])});
    }
  }
}

const GivenInput* Inputs::find(const InputInfo& info) const {
  const GivenInput* best = nullptr;  // the last one, and one with the id before one without
  for (const GivenInput& given : given_) {
    if (fits(given, info) &&
        (best == nullptr || best->inputs_id.empty() || !given.inputs_id.empty())) {
      best = &given;
    }
  }
  return best;
}

int Inputs::complete(const Context& context, const Blocks& blocks) {
  std::string missing;
  for (const BlockInfo* block : blocks) {
    for (const InputInfo& info : block->inputs) {
      if (!must_be_given(info) || find(info) != nullptr) {
        continue;
      }
      std::string answer;
      if (context.terminal.in && context.terminal.err && !context.json) {
        if (!client::ask_line(question(info), info.sensitive, answer) || answer.empty()) {
          return context.fail(kRefused, "the input " + client::label(info.name) + " is missing");
        }
        given_.push_back({info.inputs_id, info.name, answer});
        continue;
      }
      missing += (missing.empty() ? "" : ", ") + client::label(info.name) + " (" +
                 client::label(block->id) + ")";
    }
  }
  if (missing.empty()) {
    return kYes;
  }
  return context.fail(kRefused,
                      "missing inputs: " + missing + "; give them with --input NAME=VALUE");
}

std::vector<GivenInput> Inputs::for_block(const BlockInfo& block) const {
  std::vector<GivenInput> out;
  for (const InputInfo& info : block.inputs) {
    if (const GivenInput* given = find(info)) {
      out.push_back({info.inputs_id, info.name, given->value, info.sensitive});
    }
  }
  return out;
}

}  // namespace rb::ctl
