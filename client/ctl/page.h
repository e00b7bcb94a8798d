// page.h — lines under margins: what a quote, a list's item or an admonition puts before each.
// [runbookctl]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/ctl/flow.h"

namespace rb::ctl {

class Page {
 public:
  Page(std::size_t width, bool colours) : width_(width), colours_(colours) {}

  // `first` stands before the next line, `rest` before those that follow; equally wide.
  void push(std::string first, std::string rest, unsigned faces = kPlain);
  void pop();
  // One line below all margins.
  void line(const std::string& text);
  void flow(const Flow& text);
  // At the left edge whatever the margins: to be copied as it is.
  void bare(const std::string& text);
  // One empty line before what follows; none at the start of the page or of an item.
  void blank();
  void tight() { fresh_ = true; }  // no empty line before what follows

  [[nodiscard]] std::size_t room() const;  // columns, never under 20
  [[nodiscard]] bool colours() const { return colours_; }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  struct Margin {
    std::string first;
    std::string rest;
    unsigned faces;
    bool used = false;
  };
  void margins(bool for_blank);

  std::size_t width_;
  bool colours_;
  std::vector<Margin> margins_;
  std::string out_;
  bool fresh_ = true;    // nothing stands yet where a blank line could be before it
  bool wanted_ = false;  // a blank line, should anything follow
};

}  // namespace rb::ctl
