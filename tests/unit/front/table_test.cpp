#include "daemon/front/table.h"

#include <doctest/doctest.h>

namespace rb::fnt {
namespace {

enum class Kind { Unset, Hello, Data, Folder };
enum class State { New, Serving, Over };
using TestRow = Row<Kind, State, int>;
constexpr std::array kRows = {
    TestRow{Kind::Hello, permitted(State::New), true, 0, 0, 1},
    TestRow{Kind::Data, permitted(State::New, State::Serving), false, 0, 0, 2},
    TestRow{Kind::Folder, permitted(State::Serving), false, 1, 2, 3},
};

TEST_CASE("table: a message comes only in its states, once where so said, with its descriptors") {
  struct Case {
    Kind kind;
    State state;
    std::size_t fds;
    Used used;
    int handler;  // 0: not permitted
  };
  for (const Case& each : {
           Case{Kind::Unset, State::New, 0, 0, 0},
           Case{Kind::Hello, State::New, 0, 0, 1},
           Case{Kind::Hello, State::New, 0, 1, 0},  // a second time
           Case{Kind::Hello, State::New, 1, 0, 0},
           Case{Kind::Hello, State::Serving, 0, 0, 0},
           Case{Kind::Data, State::New, 0, 7, 2},
           Case{Kind::Data, State::Serving, 0, 7, 2},
           Case{Kind::Data, State::Over, 0, 0, 0},
           Case{Kind::Folder, State::Serving, 0, 0, 0},
           Case{Kind::Folder, State::Serving, 1, 0, 3},
           Case{Kind::Folder, State::Serving, 2, 0, 3},
           Case{Kind::Folder, State::Serving, 3, 0, 0},
       }) {
    Used used = each.used;
    const auto* row = find_row(kRows, each.kind, each.state, each.fds, used);
    CHECK((row == nullptr ? 0 : row->handler) == each.handler);
    CHECK((row != nullptr || used == each.used));  // what was refused uses nothing up
  }
}

}  // namespace
}  // namespace rb::fnt
