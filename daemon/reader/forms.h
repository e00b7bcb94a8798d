// forms.h — which <Inputs> a block takes its values from.   [UNTRUSTED: reader]
// In:     every <Inputs> of the document, in order; then blocks, once all are known.
// Out:    forms in the order in which they win: later over earlier, nested over all.
// Errors: findings; a form that is broken or isn't there is said by the block that names it.
// Source: docs/RUNBOOKS.md §Inputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/reader/inputs.h"
#include "daemon/reader/reading.h"

namespace rb::rdr {

class Forms {
 public:
  explicit Forms(Reading& reading) : reading_(reading) {}
  Forms(const Forms&) = delete;
  Forms& operator=(const Forms&) = delete;

  // "" as id: nobody can name it, but a block around it has it.
  void add(NodeId node, const std::string& id);
  // Fills the block's inputs_ids. Pointers stay good until the next add().
  [[nodiscard]] std::vector<const Form*> of(NodeId block, Block& into);

 private:
  void read_yaml(const Node& element, NodeId id, const std::string& form_id, Form& form);
  void read_file(const Node& element, std::string_view path, const std::string& form_id,
                 Form& form);
  void prefill(const Node& element, Form& form) const;

  Reading& reading_;
  std::map<NodeId, Form> forms_;
};

}  // namespace rb::rdr
