#include "broker/environment.h"

#include <algorithm>

#include "common/seal.h"
#include "policy/builtin.h"
#include "protocol/front.capnp.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

std::string_view name_in(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

std::span<std::uint8_t> writable(std::string& text) {
  return {reinterpret_cast<std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [letter](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

Result<Environment> Environment::from_wire(ByteView plain) {
  Environment out;
  const Status read = wire::read<front::Environment>(
      plain, limits::kClientNesting, [&out](front::Environment::Reader from) -> Status {
        for (const auto data : from.getVariables()) {
          std::string variable(as_text(ByteView(data.begin(), data.size())));
          const std::string name(name_in(variable));
          if (name.empty() || name.size() == variable.size() ||
              variable.find('\0') != std::string::npos || variable.size() > limits::kInputBytes) {
            return error(Code::Invalid, "an environment variable that can't be one");
          }
          if (policy::is_loader_variable(name)) {
            out.refused_.push_back(to_valid_utf8(name));
            continue;
          }
          if (out.value(name).data() == nullptr) {
            out.variables_.push_back(std::move(variable));
          }
        }
        out.cwd_ = wire::text(from.getCwd());
        out.umask_ = from.getUmask() & 0777;
        return done();
      });
  if (!read) {
    return read.failure();
  }
  if (!out.cwd_.starts_with('/') || out.cwd_.find('\0') != std::string::npos) {
    return error(Code::Invalid, "the environment's folder isn't an absolute path");
  }
  return out;
}

std::string_view Environment::value(std::string_view name) const {
  for (const std::string& variable : variables_) {
    if (variable.size() > name.size() && variable[name.size()] == '=' &&
        variable.starts_with(name)) {
      return std::string_view(variable).substr(name.size() + 1);
    }
  }
  return {};
}

Environment& Environment::operator=(Environment&& other) noexcept {
  if (this != &other) {
    wipe();
    variables_ = std::move(other.variables_);
    refused_ = std::move(other.refused_);
    cwd_ = std::move(other.cwd_);
    umask_ = other.umask_;
  }
  return *this;
}
Environment::~Environment() {
  wipe();
}
void Environment::wipe() {
  for (std::string& variable : variables_) {
    seal::wipe(writable(variable));
  }
  variables_.clear();
}

}  // namespace rb::brk
