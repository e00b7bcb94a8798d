#include "common/chain.h"

#include <doctest/doctest.h>

TEST_CASE("chain: the first line of the first session has number 1 and 64 zeros") {
  rb::Chain chain;
  rb::JsonWriter line = chain.begin();
  line.field("type", "note");
  CHECK(chain.commit(std::move(line)) ==
        "{\"line\":1,\"prev\":\"" + std::string(64, '0') + "\",\"type\":\"note\"}");
  CHECK(chain.lines() == 1);
}

TEST_CASE("chain: each line holds the SHA-256 of the line before, without its newline") {
  rb::Chain chain;
  const std::string first = chain.commit(chain.begin());
  const std::string second = chain.commit(chain.begin());
  CHECK(second.find("\"prev\":\"" + rb::sha256(rb::as_bytes(first)).hex() + "\"") !=
        std::string::npos);
  CHECK(second.rfind("{\"line\":2,", 0) == 0);
  CHECK(chain.head() == rb::head_of_line(second));
}

TEST_CASE("chain: a line that is thrown away leaves number and head as they were") {
  rb::Chain chain;
  const std::string kept = chain.commit(chain.begin());
  { const rb::JsonWriter dropped = chain.begin(); }
  CHECK(chain.lines() == 1);
  CHECK(chain.head() == rb::head_of_line(kept));
}

TEST_CASE("chain: it goes on from a head and a number of lines") {
  const rb::Digest head = rb::sha256(rb::as_bytes("before"));
  rb::Chain chain(head, 41);
  CHECK(chain.commit(chain.begin()) == "{\"line\":42,\"prev\":\"" + head.hex() + "\"}");
}
