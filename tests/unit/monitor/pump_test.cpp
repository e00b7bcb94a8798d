// The pump over pipes whose writers end, stay, or never stop.
#include "broker/monitor/pump.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "common/digest.h"
#include "common/io.h"

namespace rb::mon {
namespace {

struct Files {
  Fd output{::memfd_create("output", MFD_CLOEXEC)};
  Fd index{::memfd_create("index", MFD_CLOEXEC)};

  [[nodiscard]] static std::string content(const Fd& fd) {
    std::string out(static_cast<std::size_t>(::lseek(fd.get(), 0, SEEK_END)), '\0');
    CHECK(::pread(fd.get(), out.data(), out.size(), 0) == static_cast<ssize_t>(out.size()));
    return out;
  }
  // The streams that the index names, in its order.
  [[nodiscard]] std::string streams() const {
    const std::string records = content(index);
    std::string out;
    for (std::size_t at = 0; at < records.size(); at += 24) {
      out += static_cast<char>('0' + records[at + 16]);
    }
    return out;
  }
  [[nodiscard]] Pump pump(std::uint64_t cap) const {
    return {Fd(::dup(output.get())), Fd(::dup(index.get())), cap};
  }
};

// A process that does `what` with the write end, until it is killed.
class Writer {
 public:
  Writer(Pump& pump, const std::function<void(int)>& what) {
    Result<std::pair<Fd, Fd>> ends = Pump::make_pipe();
    pid_ = ::fork();
    if (pid_ == 0) {
      ends->first.reset();
      what(ends->second.get());
      ::_exit(0);
    }
    pump.set_source(std::move(ends->first));
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  Writer(Writer&&) = delete;
  Writer& operator=(Writer&&) = delete;
  ~Writer() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
};

void write_text(int fd, std::string_view text) {
  (void)!::write(fd, text.data(), text.size());
}

constexpr std::uint64_t kMuch = 1ULL << 40;

}  // namespace

TEST_CASE("pump: what writers that have ended left behind is drained whole") {
  const Files files;
  Pump pump = files.pump(kMuch);
  {
    const Writer writer(pump, [](int fd) { write_text(fd, "one\ntwo"); });
    CHECK(pump.drain());
  }
  CHECK(Files::content(files.output) == "one\ntwo");
  CHECK(files.streams() == "0");
  CHECK_FALSE(pump.source().open());
}

TEST_CASE("pump: a writer that stays and is silent ends the draining") {
  const Files files;
  Pump pump = files.pump(kMuch);
  const Writer writer(pump, [](int fd) {
    write_text(fd, "heard\n");
    ::pause();
  });
  const Nanos start = boot_now();
  CHECK(pump.drain());
  CHECK(Files::content(files.output) == "heard\n");
  CHECK(boot_now() - start < std::chrono::seconds(5));
}

TEST_CASE("pump: a writer that never stops doesn't keep draining alive") {
  const auto flood = [](int fd) {
    for (const std::string much(4096, 'y');; write_text(fd, much)) {
    }
  };
  const auto drip = [](int fd) {
    for (;; ::usleep(5'000)) {
      write_text(fd, "y\n");
    }
  };
  for (const std::function<void(int)>& what : {std::function<void(int)>(flood), {drip}}) {
    for (const std::uint64_t cap : {std::uint64_t{1000}, kMuch}) {
      const Files files;
      Pump pump = files.pump(cap);
      const Writer writer(pump, what);
      const Nanos start = boot_now();
      CHECK_FALSE(pump.drain());
      CHECK(boot_now() - start < std::chrono::seconds(20));
      CHECK_FALSE(pump.source().open());  // it hears of a broken pipe from now on
      CHECK(pump.length() <= (8UL << 20));
    }
  }
}

TEST_CASE("pump: the cap is kept to the byte, and a line of ours says so once") {
  for (const bool line : {false, true}) {
    const Files files;
    Pump pump = files.pump(10);
    {
      const Writer writer(pump, [line](int fd) {
        write_text(fd, line ? "012345678\n" : "0123456789");
        write_text(fd, "more");
        ::usleep(100'000);
        write_text(fd, "and more");
      });
      CHECK(pump.drain());
    }
    const std::string note =
        "[runbookd: the output limit of 10 bytes is reached: what follows isn't kept]\n";
    const std::string output = Files::content(files.output);
    CHECK(output == (line ? "012345678\n" + note : "0123456789\n" + note));
    CHECK(files.streams() == std::string("03"));
    CHECK(pump.length() == output.size());
    CHECK(pump.digest() == sha256(as_bytes(output)));
    CHECK(pump.full());
  }
}

TEST_CASE("pump: exactly the cap is no limit reached") {
  const Files files;
  Pump pump = files.pump(10);
  {
    const Writer writer(pump, [](int fd) { write_text(fd, "0123456789"); });
    CHECK(pump.drain());
  }
  CHECK(Files::content(files.output) == "0123456789");
  CHECK_FALSE(pump.full());
}

}  // namespace rb::mon
