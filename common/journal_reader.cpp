#include "common/journal_reader.h"

#include <unistd.h>

#include <charconv>
#include <cstring>

namespace rb {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

// Takes the fixed start of a line apart; each step false when the line isn't spelled so.
class Start {
 public:
  explicit Start(std::string_view rest) : rest_(rest) {}

  bool word(std::string_view expected) {
    if (rest_.substr(0, expected.size()) != expected) {
      return false;
    }
    rest_.remove_prefix(expected.size());
    return true;
  }
  bool number(std::uint64_t& out) {
    const std::size_t digits = rest_.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos || (digits > 1 && rest_[0] == '0')) {
      return false;
    }
    const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + digits, out);
    rest_.remove_prefix(digits);
    return failed == std::errc() && end == rest_.data();
  }
  // Up to a closing quote; an escape is none of the plain texts that stand here.
  bool plain(std::string_view& out) {
    const std::size_t end = rest_.find_first_of("\"\\");
    if (end == std::string_view::npos || rest_[end] != '"') {
      return false;
    }
    out = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::optional<LineStart> line_start(std::string_view line) {
  Start start(line);
  LineStart out;
  std::string_view prev;
  if (!start.word("{\"line\":") || !start.number(out.number) || !start.word(",\"prev\":\"") ||
      !start.plain(prev) || !start.word(",\"at\":\"") || !start.plain(out.at) ||
      !start.word(",\"boot_ms\":") || !start.number(out.boot_ms) || !start.word(",\"type\":\"") ||
      !start.plain(out.type)) {
    return std::nullopt;
  }
  const std::optional<Digest> digest = digest_from_hex(prev);
  if (!digest || line.back() != '}') {
    return std::nullopt;
  }
  out.prev = *digest;
  return out;
}

LineReader::LineReader(int fd, std::size_t most) : fd_(fd), most_(most), buffer_(kChunkBytes) {}

Result<std::optional<std::string_view>> LineReader::next() {
  for (;;) {
    const void* const newline =
        std::memchr(buffer_.data() + used_ + seen_, '\n', have_ - used_ - seen_);
    if (newline != nullptr) {
      const auto end =
          static_cast<std::size_t>(static_cast<const std::uint8_t*>(newline) - buffer_.data());
      const std::string_view line = as_text(ByteView(buffer_).subspan(used_, end - used_));
      used_ = end + 1;
      seen_ = 0;
      if (line.size() > most_) {
        break;
      }
      return std::optional(line);
    }
    seen_ = have_ - used_;
    if (seen_ > most_) {
      break;
    }
    const Result<bool> more = fill();
    if (!more) {
      return more.failure();
    }
    if (!*more) {
      return std::optional<std::string_view>();
    }
  }
  return error(Code::TooLarge, "a line of more than " + std::to_string(most_) + " bytes");
}

Result<bool> LineReader::fill() {
  if (used_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + used_, have_ - used_);
    base_ += used_;
    have_ -= used_;
    used_ = 0;
  }
  if (have_ == buffer_.size()) {
    buffer_.resize(buffer_.size() * 2);
  }
  for (;;) {
    const ssize_t got = ::pread(fd_, buffer_.data() + have_, buffer_.size() - have_,
                                static_cast<off_t>(base_ + have_));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return errno_error("read");
    }
    have_ += static_cast<std::size_t>(got);
    return got > 0;
  }
}

JournalReader::JournalReader(std::vector<int> segments, std::size_t most)
    : segments_(std::move(segments)), most_(most) {}

void JournalReader::open_segment() {
  lines_.emplace(segments_[segment_], most_);
  until_ = 0;
  for (std::size_t later = segment_ + 1; until_ == 0 && later < segments_.size(); ++later) {
    LineReader following(segments_[later], most_);
    const auto first = following.next();
    const auto start = first.ok() && *first ? line_start(**first) : std::nullopt;
    until_ = start ? start->number : 0;
  }
}

Result<std::optional<JournalReader::Line>> JournalReader::next() {
  for (; segment_ < segments_.size(); ++segment_, lines_.reset()) {
    if (!lines_) {
      open_segment();
    }
    auto line = next_here();
    if (!line || *line || segment_ + 1 == segments_.size()) {
      return line;
    }
  }
  return std::optional<Line>();
}

// nullopt where the present segment has no more lines that count.
Result<std::optional<JournalReader::Line>> JournalReader::next_here() {
  if (until_ != 0 && number_ + 1 >= until_) {
    return std::optional<Line>();
  }
  const auto line = lines_->next();
  if (!line) {
    ++number_;
    return line.failure();
  }
  if (*line) {
    return accept(**line);
  }
  forget_torn();
  if (lines_->torn() > 0) {
    torn_.push_back({segment_, lines_->torn()});
  }
  return std::optional<Line>();
}

// What was torn at the last look may have become a line since.
void JournalReader::forget_torn() {
  if (!torn_.empty() && torn_.back().segment == segment_) {
    torn_.pop_back();
  }
}

Result<std::optional<JournalReader::Line>> JournalReader::accept(std::string_view text) {
  ++number_;
  forget_torn();
  const std::optional<LineStart> start = line_start(text);
  if (!start) {
    return error(Code::Invalid, "not a journal line");
  }
  if (start->number != number_) {
    return error(Code::Invalid, "has the number " + std::to_string(start->number));
  }
  return std::optional(Line{text, *start, segment_});
}

}  // namespace rb
