// Wally: one AHB port. A transfer is answered --memory-latency cycles after its address (1: no wait state), the further
// beats of a burst in a cycle each. It starts in a ROM, from which it jumps to the program's entry.
#include "Vtop.h"
#include "bench.h"
#include "verilated.h"

extern "C" const char *getenvval(const char *) { return ""; } // declared by its sources, for its own test bench

namespace {

constexpr uint64_t BOOT = 0x1000;
constexpr uint64_t BOOT_BYTES = 4096;
constexpr uint64_t RESET_CYCLES = 20;

struct Transfer {
    bool wanted = false, write = false;
    uint64_t address = 0, due = 0;
};

template <typename Word> void run(bench::Bench &bench, Vtop &top, uint64_t &cycle) {
    constexpr bool wide = sizeof(Word) == 8;
    // auipc t0, 0; ld or lw t0, 16(t0); jr t0; nothing; the program's entry
    const uint32_t boot[6] = {0x00000297, wide ? 0x0102b283u : 0x0102a283u, 0x00028067, 0,
                              uint32_t(bench.entry), uint32_t(bench.entry >> 32)};
    auto read = [&](uint64_t address) -> Word {
        uint64_t at = (address & ~uint64_t(sizeof(Word) - 1)) - BOOT;
        if (at >= BOOT_BYTES) return bench.read<Word>(address);
        Word word = 0;
        if (at < sizeof boot) memcpy(&word, reinterpret_cast<const char *>(boot) + at, sizeof word);
        return word;
    };
    Transfer now;
    for (; bench.running(cycle); cycle++) {
        if (cycle == RESET_CYCLES) top.reset = 0;
        const bool ready = !now.wanted || cycle >= now.due;
        top.clk = 0;
        top.ready = ready;
        if (ready && now.wanted && !now.write) top.read_data = read(now.address);
        top.eval();
        if (!top.reset) {
            if (top.retired) bench.retire(cycle, top.pc, top.word);
            if (ready) {
                if (now.wanted && now.write) bench.write<Word>(now.address, Word(top.write_data), top.strobe);
                const unsigned latency = top.goes_on ? 1 : bench.options.memory_latency;
                now = {bool(top.transfers), bool(top.write), top.address, cycle + latency};
            }
        }
        top.clk = 1;
        top.eval();
    }
}

} // namespace

double sc_time_stamp() { return 0; }

int main(int argc, char **argv) {
    bench::Bench bench(argc, argv);
    auto top = std::make_unique<Vtop>();
    top->clk = 0;
    top->reset = 0;
    top->eval();
    if (bool(top->wide) != bench.wide) bench::refuse(top->wide ? "this Wally runs 64-bit programs" : "this Wally runs 32-bit programs");
    top->reset = 1;
    uint64_t cycle = 0;
    if (bench.wide)
        run<uint64_t>(bench, *top, cycle);
    else
        run<uint32_t>(bench, *top, cycle);
    top->final();
    return bench.finish(cycle);
}
