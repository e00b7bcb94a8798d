#include "common/bytes.h"

#include <doctest/doctest.h>

using namespace rb;  // NOLINT(google-build-using-namespace): a test of one namespace

TEST_CASE("hex: what was written is read back") {
  const Bytes bytes = {0x00, 0x0f, 0xf0, 0xff};
  CHECK(to_hex(bytes) == "000ff0ff");
  CHECK(from_hex("000ff0ff") == bytes);
}

TEST_CASE("hex: odd length, capitals and other characters are refused") {
  CHECK_FALSE(from_hex("0").has_value());
  CHECK_FALSE(from_hex("0F").has_value());
  CHECK_FALSE(from_hex("0g").has_value());
  CHECK(from_hex("") == Bytes{});
}

TEST_CASE("base64: the vectors of RFC 4648 hold both ways") {
  const std::pair<const char*, const char*> vectors[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [plain, encoded] : vectors) {
    CHECK(to_base64(as_bytes(plain)) == encoded);
    CHECK(from_base64(encoded) == to_bytes(plain));
  }
}

TEST_CASE("base64: missing padding, stray bits and foreign characters are refused") {
  for (const char* text : {"Zg", "Zg=", "Zh==", "Z===", "Zm9v\n", "Zm 9v", "====", "Zg==Zg=="}) {
    CAPTURE(text);
    CHECK_FALSE(from_base64(text).has_value());
  }
}

TEST_CASE("utf-8: overlong forms, surrogates and values over U+10FFFF are malformed") {
  CHECK(is_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"));
  CHECK(is_utf8(std::string_view("\0", 1)));
  for (const char* text :
       {"\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xf8\x88\x80\x80\x80", "\x80", "\xc3", "\xe2\x82", "\xff"}) {
    CAPTURE(text);
    CHECK_FALSE(is_utf8(text));
  }
}

TEST_CASE("utf-8: a malformed sequence becomes one replacement and what follows stays") {
  CHECK(to_valid_utf8("a\xff"
                      "b") ==
        "a\xef\xbf\xbd"
        "b");
  CHECK(to_valid_utf8("ok") == "ok");
  CHECK(is_utf8(to_valid_utf8("\xe2\x82\xc3\xc3\xa4\xf0\x9f")));
}
