// Drives the benches' AXI slave and prints, for each answer, the cycle it came in.
#include "axi.h"

struct Log {
    uint64_t read(uint64_t address) { return address; }
    void write(uint64_t address, uint64_t data, uint8_t strobe) {
        printf("write %llx %llx %x\n", (unsigned long long)address, (unsigned long long)data, strobe);
    }
};

int main() {
    Log log;
    axi::Slave<Log> slave(log, 3);
    const axi::Address wrapping{0x38, 1, 3, 3, 2}, incrementing{0x104, 2, 1, 3, 1}, fixed{0x200, 3, 1, 2, 0};
    const axi::Address reads[] = {wrapping, incrementing, fixed};
    unsigned asked = 0, sent = 0;
    for (uint64_t cycle = 0; cycle < 20; cycle++) {
        const axi::Answers &answers = slave.answers(cycle);
        const bool stalled = cycle == 5; // the core takes no beat then: it must come again
        if (answers.r_valid)
            printf("%llu: read %llx of %u%s\n", (unsigned long long)cycle, (unsigned long long)answers.r_data, answers.r_id,
                   stalled ? ", not taken" : answers.r_last ? ", the last" : "");
        if (answers.b_valid) printf("%llu: written %u\n", (unsigned long long)cycle, answers.b_id);
        axi::Requests core{};
        core.r_ready = !stalled;
        core.b_ready = true;
        if (asked < 3) {
            core.ar_valid = true;
            core.ar = reads[asked];
            asked += answers.ar_ready;
        }
        core.aw_valid = cycle == 0;
        core.aw = incrementing;
        core.w_valid = answers.w_ready;
        core.data = sent;
        core.strobe = sent ? 0x0f : 0xf0;
        core.last = sent == 1;
        sent += answers.w_ready;
        slave.take(cycle, core);
    }
}
