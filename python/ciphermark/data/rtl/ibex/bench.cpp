// Ibex: two pipelined buses, always granted, that answer --memory-latency cycles after the request (1: a tightly coupled
// SRAM), or as many as --instruction-latency and --data-latency say. What lies outside memory answers with an error.
#include "Vtop.h"
#include "bench.h"
#include "verilated.h"

namespace {

constexpr uint64_t BOOT = 0x7fffff80u; // boot_addr_i[31:8] and 0x80
constexpr uint64_t RESET_CYCLES = 5;

struct Answer {
    uint64_t due;
    uint32_t data;
    bool error;
};

// Answers in the order of the requests, each its latency after it.
class Bus {
  public:
    void ask(Answer answer) { ring_[tail_++ % SIZE] = answer; }

    bool answers(uint64_t cycle, Answer &answer) {
        if (head_ == tail_ || ring_[head_ % SIZE].due > cycle) return false;
        answer = ring_[head_++ % SIZE];
        return true;
    }

  private:
    static constexpr uint64_t SIZE = 1024; // more than Ibex ever has outstanding
    Answer ring_[SIZE];
    uint64_t head_ = 0, tail_ = 0;
};

// The arguments that all benches have, and the latencies of buses that have one of their own.
struct Arguments {
    std::vector<char *> shared;
    unsigned instruction_latency = 0, data_latency = 0;

    Arguments(int argc, char **argv) {
        for (int i = 0; i < argc; i++) {
            const std::string name = argv[i];
            unsigned *latency = name == "--instruction-latency" ? &instruction_latency : name == "--data-latency" ? &data_latency : nullptr;
            if (!latency) shared.push_back(argv[i]);
            else if (++i == argc || !(*latency = strtoul(argv[i], nullptr, 0))) bench::refuse(name + " needs a number of cycles");
        }
    }
};

} // namespace

double sc_time_stamp() { return 0; }

int main(int argc, char **argv) {
    // The instruction cache asks for command-line arguments that simulations may have.
    Verilated::commandArgs(argc, argv);
    Arguments arguments(argc, argv);
    bench::Bench bench(int(arguments.shared.size()), arguments.shared.data());
    if (bench.wide) bench::refuse("Ibex runs 32-bit programs");
    // cpuctrlsts: the instruction cache on, where there is one; then to the program's entry.
    const uint32_t boot[3] = {0x7c00e073, (uint32_t(bench.entry + 0x800) & 0xfffff000u) | 0x2b7,
                              uint32_t(bench.entry & 0xfff) << 20 | 0x28067};
    auto top = std::make_unique<Vtop>();
    Bus fetches, accesses;
    const unsigned latency = bench.options.memory_latency;
    const unsigned instruction_latency = arguments.instruction_latency ? arguments.instruction_latency : latency;
    const unsigned data_latency = arguments.data_latency ? arguments.data_latency : latency;
    // The core's clock is gated, so its registers need a falling edge of the reset, not only a low level.
    top->clk = 0;
    top->rst_n = 1;
    top->eval();
    top->rst_n = 0;
    top->eval();
    uint64_t cycle = 0;
    for (; bench.running(cycle); cycle++) {
        if (cycle == RESET_CYCLES) top->rst_n = 1;
        Answer answer;
        top->clk = 0;
        top->fetched = fetches.answers(cycle, answer);
        if (top->fetched) {
            top->fetch_data = answer.data;
            top->fetch_error = answer.error;
        }
        top->answered = accesses.answers(cycle, answer);
        if (top->answered) {
            top->read_data = answer.data;
            top->access_error = answer.error;
        }
        top->eval();
        if (top->rst_n) {
            if (top->fetch) {
                uint64_t at = top->fetch_address & ~3u, word = (at - BOOT) / 4;
                bool booting = at >= BOOT && word < 3;
                bool mapped = at - bench::RAM_BASE < bench::RAM_BYTES;
                // It fetches ahead: what it does not execute is not an access.
                fetches.ask({cycle + instruction_latency, booting ? boot[word] : mapped ? bench.read<uint32_t>(at) : 0, !booting && !mapped});
            }
            if (top->access) {
                uint64_t at = top->address & ~3u;
                accesses.ask({cycle + data_latency, top->write ? 0 : bench.read<uint32_t>(at), !bench.mapped(at)});
                if (top->write) bench.write<uint32_t>(at, top->write_data, top->strobe);
            }
            if (top->retires && !top->traps) bench.retire(cycle, top->pc, top->word);
        }
        top->clk = 1;
        top->eval();
    }
    top->final();
    return bench.finish(cycle);
}
