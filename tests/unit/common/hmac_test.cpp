#include "common/hmac.h"

#include <doctest/doctest.h>

#include <string>

namespace rb {

TEST_CASE("hmac: agrees with the vectors of RFC 4231") {
  const Bytes key1(20, 0x0b);
  CHECK(hmac_sha256(key1, as_bytes("Hi There")).hex() ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hmac_sha256(as_bytes("Jefe"), as_bytes("what do ya want for nothing?")).hex() ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  const Bytes long_key(131, 0xaa);
  CHECK(hmac_sha256(long_key, as_bytes("Test Using Larger Than Block-Size Key - Hash Key First"))
            .hex() == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("same_bytes: tells a changed byte and a changed length") {
  CHECK(same_bytes(as_bytes("abc"), as_bytes("abc")));
  CHECK_FALSE(same_bytes(as_bytes("abc"), as_bytes("abd")));
  CHECK_FALSE(same_bytes(as_bytes("abc"), as_bytes("abcd")));
}

}  // namespace rb
