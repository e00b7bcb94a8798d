// inputs.h — the variables a runbook declares.   [UNTRUSTED: reader]
// In:     the YAML of an <Inputs> block or of a boilerplate.yml; a Markdown front matter's
// `inputs`. Out:    declarations in the order written. A default that is itself a template is none
// yet. Errors: findings (warnings for a form, refusals for a front matter); what is broken declares
//         nothing, so that a block needing it doesn't run.
// Source: docs/RUNBOOKS.md §Inputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/reader/model.h"
#include "daemon/reader/text_place.h"
#include "daemon/reader/yaml.h"

namespace rb::rdr {

struct Form {
  std::string id;
  std::vector<InputDeclaration> variables;
  bool broken = false;
};

// Adds what is wrong to `findings`.
[[nodiscard]] Form parse_form(std::string_view yaml, const std::string& id, const TextPlace& place,
                              std::vector<Finding>& findings);
// The list under `inputs:` of a front matter.
[[nodiscard]] std::vector<InputDeclaration> parse_front_inputs(const YamlNode& list,
                                                               const TextPlace& place,
                                                               std::vector<Finding>& findings);

// A name a shell can hold as a variable.
[[nodiscard]] bool is_variable_name(std::string_view name);
// A variable that decides what programs do by being set (loader, shell start-up, search paths):
// no input may be called so.
[[nodiscard]] bool is_dangerous_variable(std::string_view name);

}  // namespace rb::rdr
