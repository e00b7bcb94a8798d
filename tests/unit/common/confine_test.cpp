#include "common/confine.h"

#include <doctest/doctest.h>

#include "tests/support/allowed_calls_table.h"

namespace rb::confine {
namespace {

TEST_CASE("confine: every stage allows what the table kept apart says, and kills for the rest") {
  for (const Filter filter :
       {Filter::Waiter, Filter::Front, Filter::LoaderStart, Filter::LoaderServing,
        Filter::ReaderStart, Filter::ReaderServing, Filter::ViewStart, Filter::ViewServing}) {
    const Result<Bytes> program = program_of(filter);
    REQUIRE(program.ok());
    for (const std::string& difference : testing::differences({*program}, filter)) {
      FAIL_CHECK(std::string(name_of(filter)) << ": " << difference);
    }
  }
}

TEST_CASE(
    "confine: the comparison finds a call that is allowed by mistake, and one that is missing") {
  const Result<Bytes> front = program_of(Filter::Front);
  const Result<Bytes> loader = program_of(Filter::LoaderServing);
  REQUIRE(front.ok());
  REQUIRE(loader.ok());
  CHECK_FALSE(testing::differences({*loader}, Filter::Front).empty());
  CHECK_FALSE(testing::differences({*front}, Filter::LoaderServing).empty());
  CHECK_FALSE(testing::differences({}, Filter::Front).empty());  // no filter at all
}

TEST_CASE("confine: Landlock's rules fit the kernel's version, from none to ones yet to come") {
  CHECK(fit_landlock(0).files == 0);
  CHECK(fit_landlock(-1).size == 0);
  CHECK(fit_landlock(1).files == 0x1FFF);
  CHECK(fit_landlock(2).files == 0x3FFF);
  CHECK(fit_landlock(3).files == 0x7FFF);
  CHECK(fit_landlock(3).network == 0);
  CHECK(fit_landlock(3).size == 8);
  CHECK(fit_landlock(4).network == 3);
  CHECK(fit_landlock(4).size == 16);
  CHECK(fit_landlock(5).files == 0xFFFF);
  CHECK(fit_landlock(5).scopes == 0);
  for (const int abi : {6, 7, 8, 9, 100}) {
    CHECK(fit_landlock(abi).files == 0xFFFF);
    CHECK(fit_landlock(abi).scopes == 3);
    CHECK(fit_landlock(abi).size == 24);
  }
}

TEST_CASE("confine: there is no second narrowing without a first, and never one for fronts") {
  CHECK_FALSE(narrow_again(Role::Front).ok());
  CHECK_FALSE(narrow_again(Role::Loader, 0).ok());
  CHECK_FALSE(narrow_again(Role::Reader).ok());
}

}  // namespace
}  // namespace rb::confine
