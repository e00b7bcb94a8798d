#include "common/io.h"

#include <doctest/doctest.h>
#include <sys/mman.h>

using namespace rb;  // NOLINT(google-build-using-namespace): a test of one namespace

TEST_CASE("sealed memory: what was put in is read back and can't change") {
  const auto fd = sealed_memory("m", as_bytes("hello"));
  REQUIRE(fd.ok());
  CHECK(as_text(*read_sealed(fd->get(), 5)) == "hello");
  CHECK(::pwrite(fd->get(), "x", 1, 0) == -1);
  CHECK(::ftruncate(fd->get(), 0) == -1);
  CHECK(::ftruncate(fd->get(), 9) == -1);
  CHECK(::mmap(nullptr, 5, PROT_WRITE, MAP_SHARED, fd->get(), 0) == MAP_FAILED);
}

TEST_CASE("sealed memory: one byte over the limit is TooLarge") {
  const auto fd = sealed_memory("m", as_bytes("hello"));
  CHECK(read_sealed(fd->get(), 4).failure().code == Code::TooLarge);
}

TEST_CASE("sealed memory: a file that could still change is refused") {
  const Fd open(::memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  CHECK(read_sealed(open.get(), 10).failure().code == Code::Refused);
  const Fd never(::memfd_create("never", MFD_CLOEXEC));
  CHECK(read_sealed(never.get(), 10).failure().code == Code::Refused);
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  CHECK(read_sealed(null.get(), 10).failure().code == Code::Refused);
  // Each seal alone isn't enough.
  for (const int some :
       {F_SEAL_WRITE | F_SEAL_GROW, F_SEAL_WRITE | F_SEAL_SHRINK, F_SEAL_GROW | F_SEAL_SHRINK}) {
    const Fd partly(::memfd_create("partly", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    REQUIRE(::fcntl(partly.get(), F_ADD_SEALS, some) == 0);
    CHECK(read_sealed(partly.get(), 10).failure().code == Code::Refused);
  }
}

TEST_CASE("read_at: exactly the bytes asked for, and the offset stays") {
  const auto fd = sealed_memory("m", as_bytes("0123456789"));
  CHECK(as_text(*read_at(fd->get(), 3, 4)) == "3456");
  CHECK(::lseek(fd->get(), 0, SEEK_CUR) == 0);
  CHECK(read_at(fd->get(), 8, 3).failure().code == Code::Invalid);
}

TEST_CASE("read_all: all of it up to the most, not one byte more") {
  const auto fd = sealed_memory("m", as_bytes("hello"));
  CHECK(as_text(*read_all(fd->get(), 5)) == "hello");
  REQUIRE(::lseek(fd->get(), 0, SEEK_SET) == 0);
  CHECK(read_all(fd->get(), 4).failure().code == Code::TooLarge);
}

TEST_CASE("a descriptor has one owner: moving leaves none behind, letting go closes") {
  int number = -1;
  {
    Fd first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = first.get();
    const Fd second = std::move(first);
    CHECK(second.get() == number);
    const auto copy = second.duplicate(100);
    REQUIRE(copy.ok());
    CHECK(copy->get() >= 100);
    CHECK((::fcntl(copy->get(), F_GETFD) & FD_CLOEXEC) != 0);
  }
  CHECK(::fcntl(number, F_GETFD) == -1);
}
