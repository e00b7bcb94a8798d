#include "sample_state.h"

#include <cstdlib>

#include "daemon/reader/view.h"

namespace rb::test {

void write_session_view(const SessionWriter& session) {
  const std::string path = session.folder() + "/session.json";
  write_file(path, "");
  rdr::ViewRequest request;
  request.segments = session.segments();
  request.wanted.push_back(
      {rdr::ViewKind::SessionJson, 0, Fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC))});
  if (!rdr::make_views(request)) {
    std::abort();
  }
}

client::Verdict verify(const std::string& state, const std::vector<std::string>& anchors) {
  const Fd folder(::open(state.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return client::verify_record(folder.get(), anchors).value();
}

SampleState::SampleState(std::size_t journal_bytes, std::size_t script_bytes)
    : session_(folder_.path(), "20261130-162033-k7fq") {
  write_sample(session_, journal_bytes, script_bytes);
  write_session_view(session_);
}

}  // namespace rb::test
