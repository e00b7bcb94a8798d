// out.h — standard output that never holds up the loop.   [frontends]
// In:     bytes, in order. What the reader of a pipe or terminal won't take now is kept; whoever
//         produces asks drained() and waits for on_drained before giving more.
// Why:    a client that blocks on its own output takes nothing from its link, and the front ends
//         links that take nothing.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/loop.h"
#include "common/result.h"

namespace rb::client {

class Out {
 public:
  // `fd` stays the caller's and keeps its flags: it may be shared with other processes.
  Out(Loop& loop, int fd);

  void push(std::string_view bytes);
  [[nodiscard]] bool drained() const { return waiting_.empty(); }
  void on_drained(std::function<void()> drained) { on_drained_ = std::move(drained); }
  // Writes all that waits, however long the reader takes.
  void flush();
  // The first error of writing; nothing is written after it.
  [[nodiscard]] const Status& health() const { return health_; }

 private:
  // Writes what goes without waiting; returns how much.
  std::size_t write_some(std::string_view bytes);
  void on_writable();

  Loop& loop_;
  int fd_;
  std::size_t chunk_;  // what one write may hold without waiting, once the descriptor is writable
  std::string waiting_;
  Watch watch_;
  std::function<void()> on_drained_;
  Status health_ = done();
};

}  // namespace rb::client
