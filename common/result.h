// result.h — a value or the reason there is none.   [every process]
// Failures of the machine (a call, a file, a peer) travel as Result<T>; what a script or a person
// does (an outcome, a refusal) is a value of its own and never an Error.
// Errors: none; reading the side that is absent ends the process.
// Source: docs/HACKING.md §Errors.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace rb {

// What kind of failure it is, so that callers can branch without reading text.
enum class Code {
  System,      // a system call failed: errnum says why
  Invalid,     // bytes or arguments that break a rule
  NotFound,    // no such thing
  Refused,     // understood, and not permitted
  TooLarge,    // over a limit of protocol/limits.h
  Closed,      // the peer went away
  Unsupported  // this machine or this build can't do it
};

struct Error {
  Code code = Code::System;
  std::string what;  // a sentence for a person, without a final full stop
  int errnum = 0;    // errno where code is System, else 0

  // The sentence, with the kernel's reason appended where there is one.
  [[nodiscard]] std::string text() const {
    return errnum == 0 ? what : what + ": " + std::strerror(errnum);
  }
};

// An Error for the system call that just failed; reads errno, so call it first.
[[nodiscard]] inline Error errno_error(std::string_view what) {
  const int number = errno;
  return Error{Code::System, std::string(what), number};
}

[[nodiscard]] inline Error error(Code code, std::string what) {
  return Error{code, std::move(what), 0};
}

template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): `return value;` and `return error;`
  Result(T value) : state_(std::move(value)) {}
  Result(Error failure) : state_(std::move(failure)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  T& value() { return must<T>(); }
  const T& value() const { return const_cast<Result*>(this)->must<T>(); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& failure() { return must<Error>(); }
  const Error& failure() const { return const_cast<Result*>(this)->must<Error>(); }

 private:
  template <typename U>
  U& must() {
    U* side = std::get_if<U>(&state_);
    if (side == nullptr) {
      std::abort();
    }
    return *side;
  }
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;
[[nodiscard]] inline Status done() {
  return Done{};
}

// Puts a caller's context in front: "open runbook: openat2 failed: No such file".
[[nodiscard]] inline Error within(std::string_view context, Error inner) {
  inner.what = std::string(context) + ": " + inner.what;
  return inner;
}

}  // namespace rb
