// CVA6: one AXI4 port; it starts at the program's entry.
#include "Vtop.h"
#include "axi.h"
#include "bench.h"
#include "verilated.h"

namespace {

constexpr uint64_t RESET_CYCLES = 10;

} // namespace

double sc_time_stamp() { return 0; }

int main(int argc, char **argv) {
    bench::Bench bench(argc, argv);
    axi::Memory ram{bench};
    axi::Slave<axi::Memory> memory(ram, bench.options.memory_latency);
    auto top = std::make_unique<Vtop>();
    top->boot = bench.entry;
    top->clk = 0;
    top->rst_n = 1;
    top->eval();
    top->rst_n = 0;
    top->eval();
    uint64_t cycle = 0;
    for (; bench.running(cycle); cycle++) {
        if (cycle == RESET_CYCLES) top->rst_n = 1;
        top->clk = 0;
        AXI_ANSWER(memory, *top, mem, cycle);
        top->eval();
        if (top->rst_n) {
            if (top->mem_aw_valid && top->mem_aw_bits_atop) bench::refuse("an atomic operation: the memory has none");
            AXI_TAKE(memory, *top, mem, cycle);
            if (top->retired & 1) bench.retire(cycle, top->pc0, top->word0);
            if (top->retired & 2) bench.retire(cycle, top->pc1, top->word1);
        }
        top->clk = 1;
        top->eval();
    }
    top->final();
    return bench.finish(cycle);
}
