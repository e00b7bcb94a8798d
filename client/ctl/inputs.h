// inputs.h — values for the inputs of the blocks that are to run.
// In:     --input [ID.]NAME=VALUE, --inputs FILE (a JSON object), and the person at the terminal.
// Out:    what each block's start request carries; defaults stay the daemon's affair.
// Errors: names that no block declares, and everything that is missing, are named at once.
#pragma once

#include <string>
#include <vector>

#include "client/ctl/context.h"
#include "client/lib/client.h"
#include "common/json_reader.h"

namespace rb::ctl {

using GivenInput = client::InputValue;  // inputs_id "" fits every block that declares the name

class Inputs {
 public:
  // From the command line: said and turned into an exit status where it is wrong.
  [[nodiscard]] static Got<Inputs> from_arguments(
      const Context& context, const Arguments& arguments,
      const std::vector<const client::BlockInfo*>& blocks);

  // Asks for what is missing where there is a terminal, else names all of it. kYes when complete.
  [[nodiscard]] int complete(const Context& context,
                             const std::vector<const client::BlockInfo*>& blocks);
  // Those that this block declares and that have a value here.
  [[nodiscard]] std::vector<GivenInput> for_block(const client::BlockInfo& block) const;

 private:
  [[nodiscard]] const GivenInput* find(const client::InputInfo& info) const;
  [[nodiscard]] Status add_file(const std::string& path,
                                const std::vector<const client::BlockInfo*>& blocks);
  void add_form(const std::string& inputs_id, const Json& values);
  [[nodiscard]] Status add_word(const std::string& word,
                                const std::vector<const client::BlockInfo*>& blocks);

  std::vector<GivenInput> given_;
};

}  // namespace rb::ctl
