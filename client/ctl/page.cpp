#include "client/ctl/page.h"

#include <algorithm>

#include "client/lib/text.h"

namespace rb::ctl {
namespace {

constexpr std::size_t kNarrowest = 20;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

void Page::push(std::string first, std::string rest, unsigned faces) {
  if (wanted_ && !fresh_) {  // it belongs outside
    wanted_ = false;
    margins(true);
    out_ += '\n';
  }
  margins_.push_back({std::move(first), std::move(rest), faces});
  fresh_ = true;
}

void Page::pop() {
  margins_.pop_back();
  fresh_ = false;
  wanted_ = false;
}

void Page::margins(bool for_blank) {
  std::string plain;
  for (const Margin& margin : margins_) {
    plain += margin.used || for_blank ? margin.rest : margin.first;
  }
  const std::size_t shown = for_blank ? trimmed(plain).size() : plain.size();
  std::size_t at = 0;
  for (Margin& margin : margins_) {
    const std::string& text = margin.used || for_blank ? margin.rest : margin.first;
    const std::size_t some = std::min(text.size(), shown - std::min(shown, at));
    out_ += painted(std::string_view(text).substr(0, some), margin.faces, colours_);
    at += text.size();
    margin.used = margin.used || !for_blank;
  }
}

void Page::line(const std::string& text) {
  if (wanted_ && !fresh_) {
    margins(true);
    out_ += '\n';
  }
  wanted_ = false;
  fresh_ = false;
  margins(text.empty());
  out_ += text;
  out_ += '\n';
}

void Page::flow(const Flow& text) {
  for (const std::string& one : text.lines(room(), colours_)) {
    line(one);
  }
}

void Page::bare(const std::string& text) {
  if (wanted_ && !fresh_) {
    out_ += '\n';
  }
  wanted_ = false;
  fresh_ = false;
  out_ += text;
  out_ += '\n';
}

void Page::blank() {
  wanted_ = true;
}

std::size_t Page::room() const {
  std::size_t taken = 0;
  for (const Margin& margin : margins_) {
    taken += client::columns(margin.rest);
  }
  return std::max(kNarrowest, width_ - std::min(width_, taken));
}

}  // namespace rb::ctl
