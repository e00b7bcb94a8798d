#include "client/lib/record_execution.h"

#include <sys/stat.h>

#include <array>

#include "client/lib/record_store.h"
#include "common/digest.h"
#include "common/io.h"
#include "common/outcome_file.h"

namespace rb::client {
namespace {

using Found = std::optional<Difference>;

constexpr std::size_t kJsonBytes = std::size_t{64} << 10;  // no outcome.json is longer

std::string folder_of(const rb::Json& line) {
  return "executions/" + std::string(line.text_at("execution")) + "/";
}

std::uint64_t size_of(int file) {
  struct stat facts {};
  return ::fstat(file, &facts) < 0 ? 0 : static_cast<std::uint64_t>(facts.st_size);
}

Found unreadable(const std::string& file, const Error& why) {
  return Difference{file, why.code == Code::NotFound ? "is missing" : why.text()};
}

// The script as the start line holds it; nullopt where it holds none.
std::optional<std::string> script_in(const rb::Json& started) {
  if (const rb::Json* const text = started.find("script"); text != nullptr) {
    if (text->is(rb::Json::Kind::Text)) {
      return text->text();
    }
    const auto bytes = from_base64(text->text_at("base64"));
    return bytes ? std::optional(std::string(as_text(*bytes))) : std::nullopt;
  }
  if (const rb::Json* const coded = started.find("script_base64"); coded != nullptr) {
    const auto bytes = from_base64(coded->text());
    return bytes ? std::optional(std::string(as_text(*bytes))) : std::nullopt;
  }
  return std::nullopt;
}

Found check_script_file(int session, const rb::Json& started, const Digest& expected,
                        bool required) {
  const std::string path = folder_of(started) + "script";
  const Result<Fd> file = open_file(session, path);
  if (!file) {
    const bool may_lack = file.failure().code == Code::NotFound && !required;
    return may_lack ? Found() : unreadable(path, file.failure());
  }
  const Result<Digest> digest = sha256_of_file(file->get(), 0, size_of(file->get()));
  if (!digest) {
    return unreadable(path, digest.failure());
  }
  return *digest == expected ? Found() : Difference{path, "isn't the script that was started"};
}

Found check_output(int session, const rb::Json& finished, std::uint64_t& output_bytes) {
  const auto expected = digest_from_hex(finished.text_at("output_sha256"));
  if (!expected) {
    return std::nullopt;  // nothing is claimed about it
  }
  const std::string path = folder_of(finished) + "output";
  const std::uint64_t bytes = finished.natural_at("output_bytes");
  const Result<Fd> file = open_file(session, path);
  if (!file) {
    return unreadable(path, file.failure());
  }
  if (const std::uint64_t size = size_of(file->get()); size != bytes) {
    return Difference{
        path, "has " + std::to_string(size) + " bytes, the journal says " + std::to_string(bytes)};
  }
  const Result<Digest> digest = sha256_of_file(file->get(), 0, bytes);
  if (!digest) {
    return unreadable(path, digest.failure());
  }
  output_bytes += bytes;
  return *digest == *expected ? Found() : Difference{path, "was changed"};
}

// -1 where the line gives none.
std::int64_t exit_in(const rb::Json& finished) {
  const rb::Json* const exit = finished.find("exit");
  return exit == nullptr ? -1 : exit->number().value_or(-1);
}

// What the end line says was left; all zero where it says nothing.
Left left_in(const rb::Json& finished) {
  Left out;
  if (const rb::Json* const left = finished.find("left"); left != nullptr) {
    out.outputs_bytes = left->natural_at("outputs_bytes");
    out.outputs_sha256 = digest_from_hex(left->text_at("outputs_sha256")).value_or(Digest{});
    out.files = static_cast<std::uint32_t>(left->natural_at("files"));
    out.files_bytes = left->natural_at("files_bytes");
    out.unread = static_cast<std::uint32_t>(left->natural_at("unread"));
    out.list_sha256 = digest_from_hex(left->text_at("list_sha256")).value_or(Digest{});
    out.note = left->text_at("note");
  }
  return out;
}

// A file that the monitor wrote of what was left.
Found check_left(int session, const std::string& path, const Digest& expected) {
  if (expected == Digest{}) {
    return std::nullopt;
  }
  const Result<Fd> file = open_file(session, path);
  if (!file) {
    return unreadable(path, file.failure());
  }
  const Result<Digest> digest = sha256_of_file(file->get(), 0, size_of(file->get()));
  return digest && *digest == expected ? Found() : Difference{path, "was changed"};
}

bool agree(const Outcome& outcome, const std::string& session, const rb::Json& finished) {
  return outcome.session == session && outcome.execution == finished.text_at("execution") &&
         name_of(outcome.outcome) == finished.text_at("outcome") &&
         outcome.exit == exit_in(finished) && outcome.signal == finished.natural_at("signal") &&
         to_valid_utf8(outcome.cause) == finished.text_at("cause") &&
         outcome.output_bytes == finished.natural_at("output_bytes") &&
         outcome.output_sha256.hex() == finished.text_at("output_sha256") &&
         outcome.duration_ms == finished.natural_at("duration_ms") &&
         outcome.warn == finished.boolean_at("warn") &&
         outcome.may_have_left == finished.boolean_at("may_have_left") &&
         outcome.left == left_in(finished);
}

// outcome.json is made from outcome.bin and may lack where the monitor died between the two.
Found check_outcome_json(int session, const rb::Json& finished, const Outcome& outcome,
                         const Digest& bin) {
  const std::string path = folder_of(finished) + "outcome.json";
  const Result<Fd> file = open_file(session, path);
  if (!file) {
    return file.failure().code == Code::NotFound ? Found() : unreadable(path, file.failure());
  }
  const Result<Bytes> text = read_all(file->get(), kJsonBytes);
  if (!text || as_text(*text) != outcome_json(outcome, bin)) {
    return Difference{path, "doesn't say what outcome.bin says"};
  }
  return std::nullopt;
}

Found check_outcome(int session, const std::string& session_id, const rb::Json& finished) {
  const auto expected = digest_from_hex(finished.text_at("outcome_sha256"));
  if (!expected) {
    const std::string_view outcome = finished.text_at("outcome");
    const bool evidence = outcome == "passed" || outcome == "failed";
    return evidence ? Difference{"", "names no outcome.bin for an execution that " +
                                         std::string(outcome)}
                    : Found();
  }
  const std::string path = folder_of(finished) + "outcome.bin";
  const Result<Fd> file = open_file(session, path);
  if (!file) {
    return unreadable(path, file.failure());
  }
  const Result<Bytes> bin = read_all(file->get(), kOutcomeFileBytes);
  if (!bin || sha256(*bin) != *expected) {
    return Difference{path, "was changed"};
  }
  const Result<Outcome> outcome = decode_outcome(*bin);
  if (!outcome || !agree(*outcome, session_id, finished)) {
    return Difference{path, "doesn't say what the end line says"};
  }
  return check_outcome_json(session, finished, *outcome, *expected);
}

}  // namespace

std::optional<Difference> check_script(int session, const rb::Json& started) {
  const auto expected = digest_from_hex(started.text_at("script_sha256"));
  if (!expected) {
    return Difference{"", "names no script"};
  }
  const std::optional<std::string> text = script_in(started);
  if (text && sha256(as_bytes(*text)) != *expected) {
    return Difference{"", "holds a script that isn't the one it names"};
  }
  return check_script_file(session, started, *expected, !text.has_value());
}

std::optional<Difference> check_ending(int session, const std::string& session_id,
                                       const rb::Json& finished, std::uint64_t& output_bytes) {
  if (Found found = check_outcome(session, session_id, finished)) {
    return found;
  }
  const Left left = left_in(finished);
  if (Found found = check_left(session, folder_of(finished) + "outputs", left.outputs_sha256)) {
    return found;
  }
  if (Found found =
          check_left(session, folder_of(finished) + "generated.jsonl", left.list_sha256)) {
    return found;
  }
  return check_output(session, finished, output_bytes);
}

}  // namespace rb::client
