// build.h — does the steps of a plan.   [TRUSTED: monitor, in PID 1 of the new namespaces]
// Rights held: all capabilities in the new user namespace, none outside it. Sources are opened in
// the old root beneath their base, targets beneath the new one; neither crosses a link. Folders
// and files are made on file systems that this builder mounted, never on one that it found.
// Errors: the step's name and errno; the caller ends, and the kernel drops every mount with it.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "broker/monitor/plan.h"
#include "common/fd.h"
#include "common/result.h"

namespace rb::mon {

class Builder {
 public:
  [[nodiscard]] Status perform(const std::vector<Step>& steps);
  // Takes the old root away, which lies over the new one since Do::EnterRoot: the kernel waits
  // there for every processor, and the script's process prepares itself meanwhile.
  [[nodiscard]] Status leave_old_root();

 private:
  [[nodiscard]] Status perform(const Step& step);
  [[nodiscard]] Status make_private();
  [[nodiscard]] Status new_root();
  [[nodiscard]] Status make_link(const Step& step);
  [[nodiscard]] Status bind(const Step& step);
  [[nodiscard]] Status bind_descriptor(const Step& step);
  [[nodiscard]] Status new_file_system(const Step& step);
  [[nodiscard]] Status freeze(const Step& step);
  [[nodiscard]] Status copy_file(const Step& step);
  [[nodiscard]] Status enter_root();

  [[nodiscard]] Status protect(const Step& step);
  [[nodiscard]] Status keep(const std::string& path, const std::string& folder);
  [[nodiscard]] Status pin(const std::string& path);
  // What lies at `path` inside, mounted over itself.
  [[nodiscard]] Status mount_over(const std::string& path, bool writable);

  // Clones what `source` is, narrows it, and mounts it at `to`.
  [[nodiscard]] Status attach_clone(const Fd& source, const std::string& to, const Step& step);
  // The folder or file at `path` beneath the new root, made where it may be.
  [[nodiscard]] Result<Fd> target(const std::string& path, bool folder);
  // The folder that holds the last part of `path`, which is left in `name`.
  [[nodiscard]] Result<Fd> parent_of(const std::string& path, std::string& name);
  [[nodiscard]] int base_folder(const std::string& base);
  [[nodiscard]] bool is_ours(const Fd& folder) const;

  Fd old_root_;
  Fd root_;
  std::string base_;  // the last base, open: tool folders come in a row
  Fd base_folder_;
  std::vector<dev_t> ours_;  // file systems made here
};

// Asked before each stage of setting up; answers an errno to make it fail. The product's answers 0;
// a test program links another in its place.
[[nodiscard]] int planned_fault(std::string_view stage);

}  // namespace rb::mon
