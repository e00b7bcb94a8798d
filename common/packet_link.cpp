// PacketLink apart from the sending and receiving of one packet, which the monitor links without
// any event library.
#include <cerrno>
#include <memory>
#include <utility>

#include "common/packet.h"

namespace rb {
namespace {

constexpr std::size_t kMostQueued = 1024;

}  // namespace

PacketLink::PacketLink(Loop& loop, Fd fd, OnPacket on_packet, OnEnd on_end)
    : loop_(loop),
      fd_(std::move(fd)),
      on_packet_(std::move(on_packet)),
      on_end_(std::move(on_end)),
      alive_(std::make_shared<bool>(true)) {
  reading_ = Watch(loop_, fd_.get(), Watch::For::Reading, [this] { on_readable(); });
  writing_ = Watch(loop_, fd_.get(), Watch::For::Writing, [this] { flush(); });
  writing_.pause();
}

PacketLink::~PacketLink() {
  *alive_ = false;
}

void PacketLink::send(Bytes message, std::vector<Fd> fds) {
  if (!is_open()) {
    return;
  }
  queue_.push_back({std::move(message), std::move(fds)});
  if (queue_.size() > kMostQueued) {
    end(error(Code::TooLarge, "the peer takes no packets"));
    return;
  }
  if (queue_.size() == 1) {
    flush();
  }
}

void PacketLink::close() {
  reading_ = Watch();
  writing_ = Watch();
  queue_.clear();
  fd_.reset();
}

// At most 32 packets a turn, so that one busy peer leaves room for the others.
void PacketLink::on_readable() {
  const std::shared_ptr<bool> alive = alive_;
  for (int i = 0; i < 32 && *alive && is_open(); ++i) {
    Result<Packet> packet = receive_packet(fd_.get());
    if (!packet) {
      const int number = packet.failure().errnum;
      if (number == EAGAIN || number == EWOULDBLOCK) {
        return;
      }
      if (number == ECONNRESET) {
        continue;  // the peer left something of ours unread; what it said last still waits
      }
      end(packet.failure());
      return;
    }
    on_packet_(std::move(*packet));
  }
}

void PacketLink::flush() {
  while (!queue_.empty()) {
    const Packet& front = queue_.front();
    std::vector<int> numbers;
    numbers.reserve(front.fds.size());
    for (const Fd& fd : front.fds) {
      numbers.push_back(fd.get());
    }
    const Status sent = send_packet(fd_.get(), front.bytes, numbers);
    if (!sent) {
      const int number = sent.failure().errnum;
      if (number == EAGAIN || number == EWOULDBLOCK || number == ENOBUFS) {
        writing_.resume();
        return;
      }
      if (number == EPIPE || number == ECONNRESET) {
        queue_.clear();  // the peer has gone; reading hears its last words, then ends the link
        break;
      }
      end(sent.failure());
      return;
    }
    queue_.pop_front();
  }
  writing_.pause();
}

void PacketLink::end(const Error& why) {
  close();
  if (on_end_) {
    const OnEnd on_end = std::move(on_end_);
    on_end_ = nullptr;
    on_end(why);
  }
}

}  // namespace rb
