#include "daemon/reader/shell_flow.h"

#include <algorithm>

namespace rb::rdr {

ItemId ShellFlow::add_insertion() {
  const ItemId id = next();
  items_.emplace_back();
  skip_.push_back(id);
  insertions_.push_back(id);
  return id;
}

ItemId ShellFlow::add_use(std::string_view name) {
  const ItemId id = next();
  Item item;
  item.variable = variable(name);
  items_.push_back(item);
  skip_.push_back(id);
  return id;
}

std::uint32_t ShellFlow::variable(std::string_view name) {
  const auto found = names_.find(name);
  if (found != names_.end()) {
    return found->second;
  }
  const auto id = static_cast<std::uint32_t>(variables_.size());
  Variable fresh;
  fresh.name = std::string(name);
  variables_.push_back(std::move(fresh));
  names_.emplace(std::string(name), id);
  return id;
}

std::uint32_t ShellFlow::reason(std::string_view why) {
  if (reasons_.back() != why) {
    reasons_.emplace_back(why);
  }
  return static_cast<std::uint32_t>(reasons_.size() - 1);
}

ItemId ShellFlow::unmarked(ItemId item) {
  ItemId root = item;
  while (root < next() && items_[root].why != 0) {
    root = std::max(skip_[root], root + 1);
  }
  while (item < root) {  // later looks take the short way
    const ItemId on = std::max(skip_[item], item + 1);
    skip_[item] = root;
    item = on;
  }
  return root;
}

void ShellFlow::mark_with(ItemRange range, std::uint32_t why) {
  for (ItemId id = unmarked(range.first); id < range.end; id = unmarked(id + 1)) {
    items_[id].why = why;
    const std::uint32_t used = items_[id].variable;
    if (used != kNoVariable && variables_[used].why == 0) {
      variables_[used].why = why;
      tainted_.push_back(used);
    }
  }
}

void ShellFlow::mark(ItemRange range, std::string_view why) {
  range.end = std::min(range.end, next());
  if (!range.empty()) {
    mark_with(range, reason(why));
  }
}

void ShellFlow::assign(std::string_view name, ItemRange range) {
  range.end = std::min(range.end, next());
  if (!range.empty()) {
    variables_[variable(name)].values.push_back(range);
  }
}

void ShellFlow::mark_variable(std::string_view name, std::string_view why) {
  Variable& marked = variables_[variable(name)];
  if (marked.why == 0) {
    marked.why = reason(why);
    tainted_.push_back(variable(name));
  }
}

void ShellFlow::settle() {
  while (!tainted_.empty()) {
    const std::uint32_t id = tainted_.back();
    tainted_.pop_back();
    const std::string& name = variables_[id].name;
    const bool named = !name.empty() && name != "@" && name[0] != '<';
    const std::uint32_t why = named ? reason("it becomes the variable " + name + ", and that is " +
                                             reasons_[variables_[id].why])
                                    : variables_[id].why;
    const std::vector<ItemRange> values = variables_[id].values;
    for (const ItemRange& range : values) {
      mark_with(range, why);
    }
  }
}

const std::string& ShellFlow::why(std::size_t insertion) const {
  return reasons_[items_[insertions_[insertion]].why];
}

}  // namespace rb::rdr
