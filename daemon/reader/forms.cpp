#include "daemon/reader/forms.h"

#include <algorithm>

#include "daemon/reader/naming.h"
#include "daemon/reader/prop.h"

namespace rb::rdr {
namespace {

TextPlace place_of(const Tree& tree, const Code& code) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;
  for (std::uint32_t i = 0; i < code.body_lines; ++i) {
    const LineMap& map = tree.line_maps[code.body + i];
    lines.emplace_back(map.line, map.column);
  }
  return lines.empty() ? TextPlace() : TextPlace(std::move(lines));
}

// Names the wire takes; others can't be given by anybody.
void drop_unusable(Form& form) {
  std::erase_if(form.variables,
                [](const InputDeclaration& variable) { return !is_name(variable.name); });
}

}  // namespace

void Forms::add(NodeId id, const std::string& form_id) {
  const Node& element = reading_.tree.nodes[id];
  Form form;
  const Prop path = prop_of(reading_.tree, element, "path");
  if (path.state == PropState::Text && !path.text.empty()) {
    read_file(element, path.text, form_id, form);
  } else {
    read_yaml(element, id, form_id, form);
  }
  form.id = form_id;
  drop_unusable(form);
  prefill(element, form);
  forms_.emplace(id, std::move(form));
}

void Forms::read_yaml(const Node& element, NodeId id, const std::string& form_id, Form& form) {
  const Tree& tree = reading_.tree;
  const NodeId end = id + tree.descendants(id) + 1;
  for (NodeId child = id + 1; child < end; ++child) {
    const Node& node = tree.nodes[child];
    if (node.kind == Kind::Code) {
      form = parse_form(node.value, form_id, place_of(tree, tree.code(node)), reading_.findings);
      return;
    }
  }
  if (end > id + 1) {
    Finding finding = reading_.at(element, Severity::Warning, "inputs-unfenced");
    finding.block = form_id;
    finding.text = "inputs must stand in a fence";
    finding.advice = "put the YAML between ```yaml and ```";
    reading_.findings.push_back(std::move(finding));
    form.broken = true;
  }
}

void Forms::read_file(const Node& element, std::string_view path, const std::string& form_id,
                      Form& form) {
  if (reading_.folder == nullptr) {
    form.broken = true;
    return;
  }
  for (const char* name : {"boilerplate.yml", "boilerplate.yaml"}) {
    const std::string written = std::string(path) + "/" + name;
    const Resolved found = reading_.folder->resolve(written);
    if (found.state != PathState::File) {
      continue;
    }
    const Result<std::string> text = reading_.folder->bytes(*found.entry, kYamlBytes);
    if (text) {
      form = parse_form(*text, form_id, TextPlace(found.path), reading_.findings);
      return;
    }
  }
  Finding finding = reading_.at(element, Severity::Warning, "inputs-file");
  finding.block = form_id;
  finding.text = "there is no readable boilerplate.yml in " + for_people(path, 200);
  finding.advice = "the path is a folder, relative to the runbook";
  reading_.findings.push_back(std::move(finding));
  form.broken = true;
}

// prefilledVariables={{...}} gives defaults of its own.
void Forms::prefill(const Node& element, Form& form) const {
  const Tree& tree = reading_.tree;
  const Prop values = prop_of(tree, element, "prefilledVariables");
  if (values.literal == kNone || tree.literals[values.literal].kind != LiteralKind::Object) {
    return;
  }
  for (LiteralId id = tree.literals[values.literal].first_child; id != kNone;
       id = tree.literals[id].next) {
    const Literal& member = tree.literals[id];
    const bool simple = member.kind == LiteralKind::String ||
                        member.kind == LiteralKind::Template ||
                        member.kind == LiteralKind::Number || member.kind == LiteralKind::Boolean;
    for (InputDeclaration& variable : form.variables) {
      if (simple && variable.name == member.key &&
          member.value.find("{{") == std::string_view::npos) {
        variable.has_default = true;
        variable.default_value = std::string(member.value);
      }
    }
  }
}

std::vector<const Form*> Forms::of(NodeId block, Block& into) {
  const Tree& tree = reading_.tree;
  std::vector<const Form*> out;
  const Prop named = prop_of(tree, tree.nodes[block], "inputsId");
  for (const std::string& id : texts_of(tree, named)) {
    if (!is_name(id)) {
      continue;
    }
    into.inputs_ids.push_back(id);
    const auto found = std::find_if(forms_.begin(), forms_.end(),
                                    [&](const auto& form) { return form.second.id == id; });
    if (found != forms_.end()) {
      out.push_back(&found->second);
    }
  }
  const NodeId end = block + tree.descendants(block) + 1;
  for (auto nested = forms_.upper_bound(block); nested != forms_.end() && nested->first < end;
       ++nested) {
    if (!nested->second.id.empty()) {
      into.inputs_ids.push_back(nested->second.id);
    }
    out.push_back(&nested->second);
  }
  return out;
}

}  // namespace rb::rdr
