// YAML: what is accepted is a plain tree, and its JSON is JSON.
#include "common/json_reader.h"
#include "daemon/reader/yaml.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const rb::rdr::Yaml yaml = rb::rdr::parse_yaml(rb::as_text({data, size}));
  if (yaml.problem) {
    rb::fuzz::must(yaml.problem->line >= 1 && yaml.problem->column >= 1);
    return 0;
  }
  const std::string json = rb::rdr::to_json(yaml.root);
  rb::fuzz::must(json.find('\n') == std::string::npos);
  rb::fuzz::must(yaml.root.keys.empty() || yaml.root.keys.size() == yaml.root.items.size());
  rb::fuzz::planted(yaml.root.is(rb::rdr::YamlNode::Kind::Map) && yaml.root.keys.size() == 2);
  return 0;
}
