// Trees and refusals of small runbooks, compared with files under review.
// tree_golden FOLDER... [--update]: each FOLDER/X.md or X.mdx against X.md.tree or X.mdx.tree.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "daemon/reader/tree/vet.h"
#include "tests/golden/tree/tree_dump.h"

namespace {

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string describe(const std::string& text, rb::rdr::Dialect dialect) {
  rb::rdr::Parsed parsed = rb::rdr::parse(text, dialect);
  std::vector<rb::rdr::Problem> problems = parsed.problems;
  if (problems.empty()) {
    problems = rb::rdr::vet(parsed.tree);
  }
  std::string out;
  for (const rb::rdr::Problem& problem : problems) {
    out += std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": error[" +
           std::string(problem.code) + "]: " + problem.text + "\n";
    out += problem.advice.empty() ? "" : "    " + problem.advice + "\n";
  }
  return parsed.problems.empty() ? out + rb::test::dump_tree(parsed.tree) : out;
}

bool check(const std::filesystem::path& source, bool update) {
  const bool mdx = source.extension() == ".mdx";
  const std::string got =
      describe(read_all(source), mdx ? rb::rdr::Dialect::Mdx : rb::rdr::Dialect::Markdown);
  const std::filesystem::path golden = source.string() + ".tree";
  if (update) {
    std::ofstream(golden, std::ios::binary) << got;
    return true;
  }
  if (got == read_all(golden)) {
    return true;
  }
  std::printf("%s differs; got:\n%s", golden.c_str(), got.c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> sources;
  bool update = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--update") {
      update = true;
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      const std::string extension = entry.path().extension();
      if (extension == ".md" || extension == ".mdx") {
        sources.push_back(entry.path());
      }
    }
  }
  std::sort(sources.begin(), sources.end());
  int wrong = sources.empty() ? 1 : 0;
  for (const std::filesystem::path& source : sources) {
    wrong += check(source, update) ? 0 : 1;
  }
  std::printf("%zu trees, %d differ\n", sources.size(), wrong);
  return wrong == 0 ? 0 : 1;
}
