#include "common/json_reader.h"

#include <doctest/doctest.h>

TEST_CASE("json_reader: values come in the order of the text") {
  const rb::Json json =
      rb::parse_json(R"({"z":1,"a":[true,null,"x",-5],"m":{"k":18446744073709551615}})").value();
  CHECK(json.names() == std::vector<std::string>{"z", "a", "m"});
  CHECK(json.natural_at("z") == 1);
  const rb::Json& list = *json.find("a");
  CHECK(list.items().size() == 4);
  CHECK(list.items()[0].boolean());
  CHECK(list.items()[1].is(rb::Json::Kind::Null));
  CHECK(list.items()[2].text() == "x");
  CHECK(list.items()[3].number().value() == -5);
  CHECK_FALSE(list.items()[3].natural().has_value());
  CHECK(json.find("m")->natural_at("k") == 18446744073709551615u);
  CHECK_FALSE(json.find("m")->find("k")->number().has_value());
}

TEST_CASE("json_reader: an absent or wrongly typed field reads as nothing") {
  const rb::Json json = rb::parse_json(R"({"a":"x","b":null})").value();
  CHECK(json.find("c") == nullptr);
  CHECK(json.text_at("b").empty());
  CHECK(json.natural_at("a") == 0);
  CHECK_FALSE(json.boolean_at("a"));
}

TEST_CASE("json_reader: what two readers could understand differently is refused") {
  for (const char* bad :
       {R"({"a":1,"a":2})", "1.5", "1e3", "1e999", "{", "", "[1,]", "NaN", "'a'", "{\"a\":1}x",
        "\"\xff\"", "\"\x01\"", R"("\ud800")", "01", "99999999999999999999999"}) {
    CAPTURE(bad);
    CHECK_FALSE(rb::parse_json(bad).ok());
  }
  CHECK(rb::parse_json("-9223372036854775808").value().number().has_value());
}

TEST_CASE("json_reader: depth and number of values are bounded") {
  CHECK(rb::parse_json(std::string(16, '[') + std::string(16, ']')).ok());
  CHECK_FALSE(rb::parse_json(std::string(17, '[') + std::string(17, ']')).ok());
  CHECK_FALSE(rb::parse_json(std::string(1'000'000, '[')).ok());
  std::string many = "[0";
  for (int i = 0; i < 100'000; ++i) {
    many += ",0";
  }
  CHECK_FALSE(rb::parse_json(many + "]").ok());
}
