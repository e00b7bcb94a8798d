// interpreter.h — which program a script is given to, found once and named by its bytes.
// [TRUSTED: broker]
// Resolved on the PATH with which the session began, so that no later environment chooses it.
// Source: DESIGN §5; docs/RUNBOOKS.md §Interpreters.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/digest.h"
#include "common/result.h"

namespace rb::brk {

struct Interpreter {
  std::vector<std::string> argv;  // argv[0] is an absolute path
  Digest sha256;
  bool reads_memory = false;  // bash and sh take /dev/fd/N; others need a file
};

class Interpreters {
 public:
  // `words`: a shebang's or a language's, like {"/usr/bin/env", "python3"} or {"bash"}.
  // `may_run` says which programs the sandbox shows; on the path the first of those counts.
  [[nodiscard]] Result<Interpreter> resolve(const std::vector<std::string>& words,
                                            std::string_view path,
                                            const std::function<bool(const std::string&)>& may_run);

 private:
  struct Known {
    dev_t device;
    ino_t inode;
    std::int64_t changed_ns;
    off_t size;
    Digest sha256;
  };
  [[nodiscard]] Result<Digest> digest_of(const std::string& path);

  std::map<std::string, Known> known_;
};

}  // namespace rb::brk
