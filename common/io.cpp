#include "common/io.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace rb {
namespace {

constexpr int kSeals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;

}  // namespace

Status write_all(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote < 0) {
      return errno_error("write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
  return done();
}

Result<Bytes> read_all(int fd, std::size_t most) {
  Bytes out;
  Bytes buffer(64 * 1024);
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return errno_error("read");
    }
    if (got == 0) {
      return out;
    }
    if (out.size() + static_cast<std::size_t>(got) > most) {
      return error(Code::TooLarge, "more than " + std::to_string(most) + " bytes");
    }
    out.insert(out.end(), buffer.begin(), buffer.begin() + got);
  }
}

Result<Bytes> read_at(int fd, std::uint64_t offset, std::size_t length) {
  Bytes out(length);
  std::size_t have = 0;
  while (have < length) {
    const ssize_t got =
        ::pread(fd, out.data() + have, length - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return errno_error("read");
    }
    if (got == 0) {
      return error(Code::Invalid, "the file ends early");
    }
    have += static_cast<std::size_t>(got);
  }
  return out;
}

Result<Fd> sealed_memory(std::string_view name, ByteView bytes) {
  Fd fd(::memfd_create(std::string(name).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) {
    return errno_error("memfd_create");
  }
  if (Status written = write_all(fd.get(), bytes); !written) {
    return written.failure();
  }
  if (Status sealed = seal_memory(fd.get()); !sealed) {
    return sealed.failure();
  }
  return fd;
}

Status seal_memory(int fd) {
  if (::fcntl(fd, F_ADD_SEALS, kSeals) < 0) {
    return errno_error("seal");
  }
  if (::lseek(fd, 0, SEEK_SET) < 0) {
    return errno_error("lseek");
  }
  return done();
}

Result<std::uint64_t> sealed_length(int fd, std::uint64_t most) {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  constexpr int kNeeded = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK;
  if (seals < 0 || (seals & kNeeded) != kNeeded) {
    return error(Code::Refused, "the memory file isn't sealed");
  }
  // By number: libc spells fstat as newfstatat, which a front may not call, since beside a folder
  // descriptor that passes through it would tell what lies anywhere.
  struct stat facts {};
  if (::syscall(SYS_fstat, fd, &facts) < 0) {
    return errno_error("fstat");
  }
  const auto length = static_cast<std::uint64_t>(facts.st_size);
  if (length > most) {
    return error(Code::TooLarge, "more than " + std::to_string(most) + " bytes");
  }
  return length;
}

Result<Bytes> read_sealed(int fd, std::size_t most) {
  const Result<std::uint64_t> length = sealed_length(fd, most);
  if (!length) {
    return length.failure();
  }
  return read_at(fd, 0, static_cast<std::size_t>(*length));
}

}  // namespace rb
