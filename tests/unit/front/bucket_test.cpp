#include "daemon/front/bucket.h"

#include <doctest/doctest.h>

namespace rb::fnt {

TEST_CASE("bucket: gives its burst at once, then so many a second, and never saves up more") {
  using namespace std::chrono_literals;
  Bucket bucket({3, 2}, 0s);
  CHECK(bucket.take(0s));
  CHECK(bucket.take(0s));
  CHECK(bucket.take(0s));
  CHECK_FALSE(bucket.take(0s));
  CHECK_FALSE(bucket.take(499ms));
  CHECK(bucket.take(501ms));
  CHECK_FALSE(bucket.take(502ms));
  CHECK(bucket.take(1h));  // three again, not seven thousand
  CHECK(bucket.take(1h));
  CHECK(bucket.take(1h));
  CHECK_FALSE(bucket.take(1h));
}

TEST_CASE("bucket: a clock that steps back gives nothing and takes nothing") {
  using namespace std::chrono_literals;
  Bucket bucket({1, 1}, 10s);
  CHECK(bucket.take(10s));
  CHECK_FALSE(bucket.take(1s));
  CHECK_FALSE(bucket.take(1500ms));
  CHECK(bucket.take(2500ms));
}

}  // namespace rb::fnt
