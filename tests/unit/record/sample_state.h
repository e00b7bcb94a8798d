// sample_state.h — a state folder with one ended session and its session.json, to be damaged.
#pragma once

#include <string>
#include <vector>

#include "client/lib/record_verify.h"
#include "store.h"

namespace rb::test {

// session.json made by the view mode's own code.
void write_session_view(const SessionWriter& session);

[[nodiscard]] client::Verdict verify(const std::string& state,
                                     const std::vector<std::string>& anchors = {});

class SampleState {
 public:
  explicit SampleState(std::size_t journal_bytes, std::size_t script_bytes = 400);
  [[nodiscard]] const std::string& path() const { return folder_.path(); }
  [[nodiscard]] const SessionWriter& session() const { return session_; }

 private:
  TemporaryFolder folder_;
  SessionWriter session_;
};

}  // namespace rb::test
