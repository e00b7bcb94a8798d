#include "daemon/reader/sealed_tree.h"

#include <algorithm>

#include "common/io.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::rdr {
namespace {

bool sorted_before(const TreeEntry& a, const TreeEntry& b) {
  return a.path < b.path;
}

// Parts of a path as written, "." and empty ones left out; false where it leaves the folder.
bool split(std::string_view written, std::vector<std::string_view>& parts) {
  if (written.starts_with('/')) {
    return false;
  }
  std::size_t at = 0;
  while (at <= written.size()) {
    const std::size_t end = std::min(written.find('/', at), written.size());
    const std::string_view part = written.substr(at, end - at);
    at = end + 1;
    if (part == "..") {
      if (parts.empty()) {
        return false;
      }
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  return true;
}

PathState state_of(reader::EntryKind kind) {
  switch (kind) {
    case reader::EntryKind::FILE:
      return PathState::File;
    case reader::EntryKind::LINK_OUT:
      return PathState::Escapes;
    case reader::EntryKind::LINK_BROKEN:
      return PathState::Missing;
    case reader::EntryKind::TOO_LARGE:
      return PathState::TooLarge;
    case reader::EntryKind::UNREADABLE:
      return PathState::Unreadable;
    case reader::EntryKind::FOLDER:
    case reader::EntryKind::SPECIAL:
    case reader::EntryKind::UNSET:
      return PathState::NotAFile;
  }
  return PathState::NotAFile;
}

}  // namespace

Result<SealedTree> SealedTree::from_wire(reader::Tree::Reader wire, int content) {
  SealedTree out;
  const Result<std::uint64_t> length = sealed_length(content, limits::kTreeBytes);
  if (!length) {
    return within("content", length.failure());
  }
  out.content_ = content;
  out.main_ = wire::text(wire.getMain());
  out.bound_ = wire.getBound();
  out.entries_.reserve(wire.getEntries().size());
  for (const auto entry : wire.getEntries()) {
    TreeEntry one{wire::text(entry.getPath()), entry.getKind(), entry.getOffset(),
                  entry.getLength()};
    const bool within_content = one.offset <= *length && one.length <= *length - one.offset;
    if (!within_content || (!out.entries_.empty() && !sorted_before(out.entries_.back(), one))) {
      return error(Code::Invalid, "a broken index of the folder");
    }
    out.entries_.push_back(std::move(one));
  }
  return out;
}

const TreeEntry* SealedTree::find(std::string_view path) const {
  const auto at = std::lower_bound(
      entries_.begin(), entries_.end(), path,
      [](const TreeEntry& entry, std::string_view wanted) { return entry.path < wanted; });
  return at != entries_.end() && at->path == path ? &*at : nullptr;
}

Resolved SealedTree::resolve(std::string_view written) const {
  std::vector<std::string_view> parts;
  Resolved out;
  if (!split(written, parts)) {
    out.state = PathState::Escapes;
    return out;
  }
  if (parts.empty()) {
    out.state = PathState::NotAFile;
    return out;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out.path += (i == 0 ? "" : "/") + std::string(parts[i]);
    const TreeEntry* entry = find(out.path);
    const bool last = i + 1 == parts.size();
    if (entry == nullptr) {
      // An unbound folder lists files alone: their folders needn't be there.
      if (bound_ || last) {
        return out;
      }
      continue;
    }
    out.state = state_of(entry->kind);
    if (last && out.state == PathState::File && written.ends_with('/')) {
      out.state = PathState::Missing;  // "a.sh/" asks for a folder
    } else if (last && out.state == PathState::File) {
      out.entry = entry;
    } else if (!last && entry->kind == reader::EntryKind::FOLDER) {
      out.state = PathState::Missing;
      continue;
    } else if (!last && out.state != PathState::Escapes) {
      out.state = PathState::Missing;  // a file in a folder's place
    }
    return out;
  }
  return out;
}

Result<std::string> SealedTree::bytes(const TreeEntry& entry, std::uint64_t most) const {
  if (entry.length > most) {
    return error(Code::TooLarge, entry.path + " is larger than " + std::to_string(most) + " bytes");
  }
  Result<Bytes> read = read_at(content_, entry.offset, static_cast<std::size_t>(entry.length));
  if (!read) {
    return within(entry.path, read.failure());
  }
  return std::string(as_text(*read));
}

}  // namespace rb::rdr
