#include "client/ctl/scaffold.h"

#include <string_view>

#include "common/json_writer.h"

namespace rb::ctl {
namespace {

// Where a template has these, the title or the restart block goes.
constexpr std::string_view kTitle = "@TITLE@";
constexpr std::string_view kHeading = "@HEADING@";
constexpr std::string_view kChange = "@CHANGE@";

constexpr std::string_view kMdx = R"text(---
title: @TITLE@
---

# @HEADING@

What this does, when to use it and whom to ask: two or three sentences, for somebody who was woken up.

## Before you begin

<Check
  id="ready"
  title="Is everything here?"
  description="Asks, and changes nothing."
  command={`
for tool in date mktemp; do
  command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 1; }
done
`}
/>

## Where

<Inputs id="target">
```yaml
variables:
  - name: Environment
    type: enum
    options: [staging, production]
    default: staging
    description: Where it happens
```
</Inputs>

## Do it

<Admonition type="warning" title="What may go wrong" description="Say it before the block that does it." />

@CHANGE@

## Did it work?

<Check
  id="verify"
  title="It works"
  description="Exit status 0 means yes."
  command="date"
/>

## Back

How to undo it by hand, should everything else fail.
)text";

constexpr std::string_view kChangeInline = R"text(<Command
  id="change"
  title="Change it"
  description="Replace this with what has to be done."
  inputsId="target"
  command={`
echo "changing {{ .inputs.Environment }}"
`}
/>)text";

constexpr std::string_view kChangeFile = R"text(<Command
  id="announce"
  title="Say where"
  inputsId="target"
  command={`echo "changing {{ .inputs.Environment }}"`}
/>

A script of more than a few lines stands in a file of its own, with its own tests:

<Command
  id="change"
  title="Change it"
  description="Replace scripts/change.sh with what has to be done."
  path="scripts/change.sh"
/>)text";

constexpr std::string_view kScript = R"text(#!/usr/bin/env bash
# What has to be done. It may be run again after it failed half way.
set -euo pipefail

scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
echo "changed at $(date)" >"$scratch"
cat "$scratch"
)text";

constexpr std::string_view kMarkdown = R"text(---
title: @TITLE@
---

# @HEADING@

What this does, when to use it and whom to ask: two or three sentences, for somebody who was woken up.

## Before you begin

```bash run
for tool in date mktemp; do
  command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 1; }
done
```

## Do it

Say what may go wrong before the block that does it.

```bash run
echo "changed at $(date)"
```

## Did it work?

```bash run
date
```

## Back

How to undo it by hand, should everything else fail. A fence without the word `run` is only shown:

```bash
echo "copied and run by a person"
```
)text";

void replace(std::string& text, std::string_view what, std::string_view by) {
  if (const std::size_t at = text.find(what); at != std::string::npos) {
    text.replace(at, what.size(), by);
  }
}

// Every character that Markdown or MDX could read as markup stands behind a backslash.
std::string as_markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    const bool mark = std::string_view(R"text(!"#$%&'()*+,./:;<=>?@[\]^_`{|}~)text").find(c) !=
                      std::string_view::npos;
    out += control ? " " : mark ? std::string{'\\', c} : std::string{c};
  }
  return out;
}

}  // namespace

std::vector<ScaffoldFile> scaffold(Flavour flavour, const std::string& main,
                                   const std::string& title, bool alone) {
  std::string text(flavour == Flavour::Mdx ? kMdx : kMarkdown);
  replace(text, kChange, alone ? kChangeInline : kChangeFile);
  replace(text, kHeading, as_markdown(title));
  JsonWriter quoted;  // what JSON quotes, YAML reads
  replace(text, kTitle, quoted.text(title).take());
  std::vector<ScaffoldFile> out{{main, text, false}};
  if (flavour == Flavour::Mdx && !alone) {
    out.push_back({"scripts/change.sh", std::string(kScript), true});
  }
  return out;
}

std::string title_from_name(std::string name) {
  if (const std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0) {
    name.resize(dot);
  }
  for (char& c : name) {
    c = c == '-' || c == '_' ? ' ' : c;
  }
  if (!name.empty() && name[0] >= 'a' && name[0] <= 'z') {
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
  }
  return name;
}

}  // namespace rb::ctl
