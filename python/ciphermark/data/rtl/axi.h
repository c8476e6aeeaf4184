// One AXI4 slave with 64 bits of data, for the cores that have such a port.
//
// A read's first beat comes `latency` cycles after its request was accepted, then a beat a cycle; reads are answered in
// the order of their requests, and up to eight wait. One write at a time; its response comes `latency` cycles after its
// last beat. In every cycle, AXI_ANSWER gives the core's inputs before the rising edge, and AXI_TAKE reads its outputs.
#pragma once
#include <cstdint>
#include <deque>

#include "bench.h"

namespace axi {

struct Address {
    uint64_t address;
    unsigned id, length, size, burst;  // beats - 1; log2 of a beat's bytes; 0 fixed, 1 incrementing, 2 wrapping

    void advance() {
        const uint64_t bytes = uint64_t(1) << size;
        const uint64_t block = (uint64_t(length) + 1) << size;  // a wrapping burst's is a power of two, and aligned
        if (burst == 1) address = (address & ~(bytes - 1)) + bytes;
        if (burst == 2) address = (address & ~(block - 1)) | ((address + bytes) & (block - 1));
    }
};

// What the core drives: `ar`, `aw` and `data` mean something only where the channel's `valid` is set.
struct Requests {
    bool ar_valid, r_ready, aw_valid, w_valid, b_ready;
    Address ar, aw;
    uint64_t data;
    uint8_t strobe;
    bool last;
};

struct Answers {
    bool ar_ready = false, r_valid = false, r_last = false, aw_ready = false, w_ready = false, b_valid = false;
    unsigned r_id = 0, b_id = 0;
    uint64_t r_data = 0;
};

// RAM and the mailbox, as a target.
struct Memory {
    bench::Bench &bench;

    uint64_t read(uint64_t address) { return bench.read<uint64_t>(address); }
    void write(uint64_t address, uint64_t data, uint8_t strobe) { bench.write<uint64_t>(address, data, strobe); }
};

// `Target` has uint64_t read(address), of the aligned 8 bytes, and void write(address, data, strobe).
template <class Target> class Slave {
  public:
    Slave(Target &target, uint64_t latency) : target_(target), latency_(latency) {}

    const Answers &answers(uint64_t cycle) {
        Answers next;
        next.ar_ready = reads_.size() < 8;
        next.aw_ready = !writing_;
        next.w_ready = writing_;
        if (!reads_.empty() && cycle >= reads_.front().ready) {
            const Read &read = reads_.front();
            next.r_valid = true;
            next.r_id = read.at.id;
            next.r_last = read.beats == 0;
            // A read that the core does not take yet is not done again: it may be of a device.
            next.r_data = answers_.r_valid && !taken_ ? answers_.r_data : target_.read(read.at.address & ~UINT64_C(7));
        }
        if (!written_.empty() && cycle >= written_.front().ready) {
            next.b_valid = true;
            next.b_id = written_.front().id;
        }
        return answers_ = next;
    }

    void take(uint64_t cycle, const Requests &core) {
        taken_ = answers_.r_valid && core.r_ready;
        if (taken_) {
            Read &read = reads_.front();
            if (read.beats-- == 0)
                reads_.pop_front();
            else
                read.at.advance();
        }
        if (answers_.b_valid && core.b_ready) written_.pop_front();
        if (answers_.w_ready && core.w_valid) {
            target_.write(write_.address & ~UINT64_C(7), core.data, core.strobe);
            write_.advance();
            if (core.last) {
                written_.push_back({cycle + latency_, write_.id});
                writing_ = false;
            }
        }
        if (answers_.ar_ready && core.ar_valid) reads_.push_back({cycle + latency_, core.ar, core.ar.length});
        if (answers_.aw_ready && core.aw_valid) {
            write_ = core.aw;
            writing_ = true;
        }
    }

  private:
    struct Read {
        uint64_t ready;
        Address at;
        unsigned beats;  // after this one
    };
    struct Written {
        uint64_t ready;
        unsigned id;
    };
    Target &target_;
    const uint64_t latency_;
    std::deque<Read> reads_;
    std::deque<Written> written_;
    Address write_{};
    bool writing_ = false, taken_ = false;
    Answers answers_;
};

}  // namespace axi

// The ports of `top` whose names begin with `port`, as Chisel names them.
#define AXI_ANSWER(slave, top, port, cycle)                  \
    do {                                                     \
        const axi::Answers &answers = (slave).answers(cycle); \
        (top).port##_ar_ready = answers.ar_ready;            \
        (top).port##_r_valid = answers.r_valid;              \
        (top).port##_r_bits_id = answers.r_id;               \
        (top).port##_r_bits_data = answers.r_data;           \
        (top).port##_r_bits_last = answers.r_last;           \
        (top).port##_aw_ready = answers.aw_ready;            \
        (top).port##_w_ready = answers.w_ready;              \
        (top).port##_b_valid = answers.b_valid;              \
        (top).port##_b_bits_id = answers.b_id;               \
    } while (false)

#define AXI_ADDRESS(top, channel)                                                                       \
    axi::Address {                                                                                      \
        (top).channel##_bits_addr, (top).channel##_bits_id, (top).channel##_bits_len, (top).channel##_bits_size, \
            (top).channel##_bits_burst                                                                  \
    }

#define AXI_TAKE(slave, top, port, cycle)                                                                     \
    (slave).take(cycle, axi::Requests{bool((top).port##_ar_valid), bool((top).port##_r_ready),                \
                                      bool((top).port##_aw_valid), bool((top).port##_w_valid),                \
                                      bool((top).port##_b_ready), AXI_ADDRESS(top, port##_ar),                \
                                      AXI_ADDRESS(top, port##_aw), (top).port##_w_bits_data,                  \
                                      uint8_t((top).port##_w_bits_strb), bool((top).port##_w_bits_last)})
