#include "common/digest.h"

#include <doctest/doctest.h>

#include "common/io.h"

using namespace rb;  // NOLINT(google-build-using-namespace): a test of one namespace

TEST_CASE("sha-256: the vectors of FIPS 180-4 hold") {
  CHECK(sha256({}).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256(as_bytes("abc")).hex() ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string million(1'000'000, 'a');
  CHECK(sha256(as_bytes(million)).hex() ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("hasher: pieces hash as the whole does, and asking changes nothing") {
  Hasher hasher;
  hasher.add(as_bytes("a")).add(as_bytes("b"));
  CHECK(hasher.digest() == sha256(as_bytes("ab")));
  CHECK(hasher.digest() == sha256(as_bytes("ab")));
  CHECK(hasher.add(as_bytes("c")).digest() == sha256(as_bytes("abc")));
}

TEST_CASE("hasher: no two lists of fields have one encoding") {
  const Digest ab_c = Hasher().field("ab").field("c").digest();
  CHECK(ab_c != Hasher().field("a").field("bc").digest());
  CHECK(ab_c != Hasher().field("abc").digest());
  CHECK(ab_c != Hasher().field("ab").field("c").field("").digest());
  CHECK(Hasher().field("").digest() != Hasher().digest());
  // A field is its length in 8 bytes, little-endian, and its bytes; a number is a field of 8 bytes.
  CHECK(Hasher().field("ab").digest() ==
        sha256(as_bytes(std::string_view("\2\0\0\0\0\0\0\0ab", 10))));
  CHECK(Hasher().field(std::uint64_t{258}).digest() ==
        sha256(as_bytes(std::string_view("\x08\0\0\0\0\0\0\0\2\1\0\0\0\0\0\0", 16))));
}

TEST_CASE("digest of a file: a piece of it, and an error where the file ends early") {
  const auto fd = sealed_memory("m", as_bytes("xabcx"));
  CHECK(*sha256_of_file(fd->get(), 1, 3) == sha256(as_bytes("abc")));
  CHECK_FALSE(sha256_of_file(fd->get(), 3, 3).ok());
}

TEST_CASE("digest: only 64 lower-case hexadecimal digits are one") {
  const Digest abc = sha256(as_bytes("abc"));
  CHECK(digest_from_hex(abc.hex()) == abc);
  CHECK_FALSE(digest_from_hex(abc.hex().substr(1)).has_value());
  CHECK_FALSE(digest_from_hex(abc.hex() + "00").has_value());
  CHECK_FALSE(digest_from_bytes(ByteView(abc.bytes).first(31)).has_value());
  CHECK(abc.brief() == "ba7816bf8f01");
}
