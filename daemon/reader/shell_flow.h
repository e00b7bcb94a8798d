// shell_flow.h — where the values of a script go, as far as its text tells.   [UNTRUSTED: reader]
// In:     told by the lexer, in the order of the text: insertions, uses of variables, what flows
//         into which variable, and which stretches reach a program that reads code.
// Out:    for each insertion whether its value can end up as code, and why. A value put into a
//         variable counts wherever that variable is used, anywhere in the script.
// Errors: full(): more than is worth following; the caller gives up on the script.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rb::rdr {

using ItemId = std::uint32_t;

// Items [first, end) in the order of the text.
struct ItemRange {
  ItemId first = 0;
  ItemId end = 0;
  [[nodiscard]] bool empty() const { return first >= end; }
};

class ShellFlow {
 public:
  ItemId add_insertion();
  // A variable by name; "@" are the positional parameters, other names with a sign are our own.
  ItemId add_use(std::string_view variable);
  // The item that comes next.
  [[nodiscard]] ItemId next() const { return static_cast<ItemId>(items_.size()); }
  [[nodiscard]] bool full() const { return items_.size() > kItems; }

  // What stands in the range is read as code, or nobody can say.
  void mark(ItemRange range, std::string_view why);
  // What stands in the range becomes part of the variable's value.
  void assign(std::string_view variable, ItemRange range);
  // The variable's values are evaluated as arithmetic (declare -i).
  void mark_variable(std::string_view variable, std::string_view why);

  // Follows everything to its end; call once, last.
  void settle();
  // "" where the insertion (counted from 0) is data wherever it goes.
  [[nodiscard]] const std::string& why(std::size_t insertion) const;

 private:
  static constexpr std::size_t kItems = 50'000;
  static constexpr std::uint32_t kNoVariable = 0xffffffffU;

  struct Item {
    std::uint32_t variable = kNoVariable;  // of a use
    std::uint32_t why = 0;                 // index into reasons_, 0: not marked
  };
  struct Variable {
    std::string name;
    std::vector<ItemRange> values;
    std::uint32_t why = 0;
  };

  std::uint32_t variable(std::string_view name);
  std::uint32_t reason(std::string_view why);
  // The first item at or after `item` that isn't marked.
  ItemId unmarked(ItemId item);
  void mark_with(ItemRange range, std::uint32_t why);

  std::vector<Item> items_;
  std::vector<ItemId> skip_;  // skip_[i]: where to look on if i is marked
  std::vector<ItemId> insertions_;
  std::vector<Variable> variables_;
  std::map<std::string, std::uint32_t, std::less<>> names_;
  std::vector<std::string> reasons_{""};
  std::vector<std::uint32_t> tainted_;  // variables whose values are still to be marked
};

}  // namespace rb::rdr
