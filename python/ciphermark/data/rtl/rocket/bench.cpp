// Rocket: an AXI4 port for memory and one for devices, where the mailbox is and the code it starts with.
#include "Vtop.h"
#include "axi.h"
#include "bench.h"
#include "verilated.h"

namespace {

constexpr uint64_t RESET_VECTOR = 0x60001000u; // Machine.scala's
constexpr uint64_t BOOT_BYTES = 4096;          // it fetches ahead
constexpr uint64_t RESET_CYCLES = 20;
constexpr uint64_t DEVICE_LATENCY = 1;

class Devices {
  public:
    explicit Devices(bench::Bench &bench) : bench_(bench) { boot_[3] = bench.entry; }

    uint64_t read(uint64_t address) {
        uint64_t at = address - RESET_VECTOR;
        if (at >= BOOT_BYTES) return bench_.read<uint64_t>(address);
        return at < sizeof boot_ ? boot_[at / 8] : 0;
    }
    void write(uint64_t address, uint64_t data, uint8_t strobe) { bench_.write<uint64_t>(address, data, strobe); }

  private:
    bench::Bench &bench_;
    // A custom instruction for the accelerator is illegal while mstatus.XS is 0.
    uint64_t boot_[4] = {
        0x3003207300018337, // lui t1, 0x18; csrs mstatus, t1
        0x0102b28300000297, // auipc t0, 0; ld t0, 16(t0)
        0x0000001300028067, // jr t0; nop
        0,                  // the program's entry
    };
};

} // namespace

double sc_time_stamp() { return 0; }

int main(int argc, char **argv) {
    bench::Bench bench(argc, argv);
    if (!bench.wide) bench::refuse("Rocket runs 64-bit programs");
    axi::Memory ram{bench};
    axi::Slave<axi::Memory> memory(ram, bench.options.memory_latency);
    Devices io(bench);
    axi::Slave<Devices> devices(io, DEVICE_LATENCY);
    auto top = std::make_unique<Vtop>();
    top->reset = 1;
    uint64_t cycle = 0;
    for (; bench.running(cycle); cycle++) {
        if (cycle == RESET_CYCLES) top->reset = 0;
        top->clock = 0;
        AXI_ANSWER(memory, *top, mem_axi4_0, cycle);
        AXI_ANSWER(devices, *top, mmio_axi4_0, cycle);
        top->eval();
        if (!top->reset) {
            AXI_TAKE(memory, *top, mem_axi4_0, cycle);
            AXI_TAKE(devices, *top, mmio_axi4_0, cycle);
            if (top->retired) bench.retire(cycle, top->pc, top->word);
        }
        top->clock = 1;
        top->eval();
    }
    top->final();
    return bench.finish(cycle);
}
