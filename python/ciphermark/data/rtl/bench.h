// What the benches of all cores share: RAM, the mailbox, the program, what retires, and the account of a run.
//
// A run ends at a store to the mailbox's status, after a number of cycles or seconds, or when nothing retires any more.
// The console goes to standard output. The account is one JSON object in the file that --report names:
//
//   end       "exit", "hang", "cycles" or "seconds"
//   status    what the program ended with
//   cycles    from reset to the end
//   retired   instructions
//   regions   [instructions, cycles] of every passage from the retirement at --begin to that at --stop
//   last      [pc, word] of the instructions that retired last, the latest at the end
//   outside   an address outside memory that was accessed, or null
//
// --trace names a file for a line of each instruction that retires: cycle, address, word.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

constexpr uint64_t RAM_BASE = 0x80000000u;
constexpr uint64_t RAM_BYTES = 128u << 20;
constexpr uint64_t MAILBOX = 0x60000000u;
constexpr uint64_t CONSOLE = MAILBOX, STATUS = MAILBOX + 8;
constexpr uint64_t LONGEST_SILENCE = 100000;
constexpr size_t KEPT = 32;
constexpr uint64_t CLOCK_EVERY = 1 << 14;

struct Options {
    const char *program = nullptr;
    const char *report = nullptr;
    const char *trace = nullptr;
    unsigned memory_latency = 1;
    uint64_t begin = 1, stop = 1; // no instruction has an odd address
    uint64_t most_cycles = UINT64_MAX;
    double most_seconds = 1e9;
};

[[noreturn]] inline void refuse(const std::string &why) {
    fprintf(stderr, "%s\n", why.c_str());
    exit(2);
}

inline Options options(int argc, char **argv) {
    Options found;
    auto number = [](const char *text) { return strtoull(text, nullptr, 0); };
    for (int i = 1; i < argc; i++) {
        std::string name = argv[i];
        if (name.rfind("--", 0) != 0) {
            found.program = argv[i];
            continue;
        }
        if (++i == argc) refuse(name + " needs a value");
        if (name == "--report") found.report = argv[i];
        else if (name == "--trace") found.trace = argv[i];
        else if (name == "--memory-latency") found.memory_latency = number(argv[i]);
        else if (name == "--begin") found.begin = number(argv[i]);
        else if (name == "--stop") found.stop = number(argv[i]);
        else if (name == "--max-cycles") found.most_cycles = number(argv[i]);
        else if (name == "--max-seconds") found.most_seconds = strtod(argv[i], nullptr);
        else refuse("unknown option " + name);
    }
    if (!found.program) refuse("usage: bench [--memory-latency N] [--report FILE] … program.elf");
    return found;
}

class Bench {
  public:
    const Options options;
    uint64_t entry = 0;
    bool wide = false; // a 64-bit program

    Bench(int argc, char **argv) : options(bench::options(argc, argv)), ram_(static_cast<uint8_t *>(calloc(RAM_BYTES, 1)), free) {
        if (!ram_) refuse("no memory for RAM");
        if (options.trace && !(trace_ = fopen(options.trace, "w"))) refuse("cannot write the trace");
        load(options.program);
    }

    bool mapped(uint64_t address) const {
        return address - RAM_BASE < RAM_BYTES || address - MAILBOX < 16;
    }

    // The aligned T that holds `address`; 0 outside RAM.
    template <typename T> T read(uint64_t address) {
        uint64_t at = (address & ~uint64_t(sizeof(T) - 1)) - RAM_BASE;
        if (at >= RAM_BYTES) {
            if (!mapped(address)) outside(address);
            return 0;
        }
        T value;
        memcpy(&value, ram_.get() + at, sizeof value);
        return value;
    }

    // The bytes of the aligned T at `address` that `strobe` names, its lowest bit the lowest byte.
    template <typename T> void write(uint64_t address, T value, uint8_t strobe) {
        uint64_t base = address & ~uint64_t(sizeof(T) - 1), at = base - RAM_BASE;
        if (at < RAM_BYTES) {
            for (unsigned i = 0; i < sizeof(T); i++)
                if (strobe >> i & 1) ram_.get()[at + i] = uint8_t(value >> 8 * i);
        } else if (mapped(base)) {
            mail(base, value, strobe, sizeof(T));
        } else if (strobe) {
            outside(address);
        }
    }

    void retire(uint64_t cycle, uint64_t pc, uint32_t word) {
        if (pc == options.begin) {
            since_ = retired_;
            from_ = cycle;
        }
        if (pc == options.stop) regions_.push_back({retired_ - since_, cycle - from_});
        if (trace_) fprintf(trace_, "%llu %llx %x\n", (unsigned long long)cycle, (unsigned long long)pc, word);
        last_[retired_++ % KEPT] = {pc, word};
        latest_ = cycle;
    }

    // Whether the run goes on after `cycle`.
    bool running(uint64_t cycle) {
        if (end_) return false;
        if (cycle - latest_ > LONGEST_SILENCE) end_ = "hang";
        else if (cycle >= options.most_cycles) end_ = "cycles";
        else if (cycle % CLOCK_EVERY == 0 && seconds() > options.most_seconds) end_ = "seconds";
        return !end_;
    }

    // Writes the account; what the process returns.
    int finish(uint64_t cycles) {
        fflush(stdout);
        if (trace_ && fclose(trace_)) refuse("cannot write the trace");
        FILE *file = options.report ? fopen(options.report, "w") : stderr;
        if (!file) refuse("cannot write the report");
        fprintf(file, "{\"end\":\"%s\",\"status\":%u,\"cycles\":%llu,\"retired\":%llu,\"regions\":[", end_ ? end_ : "stopped", status_,
                (unsigned long long)cycles, (unsigned long long)retired_);
        const char *comma = "";
        for (auto &[instructions, took] : regions_) {
            fprintf(file, "%s[%llu,%llu]", comma, (unsigned long long)instructions, (unsigned long long)took);
            comma = ",";
        }
        fprintf(file, "],\"last\":[");
        comma = "";
        for (uint64_t i = retired_ < KEPT ? 0 : retired_ - KEPT; i < retired_; i++) {
            fprintf(file, "%s[%llu,%u]", comma, (unsigned long long)last_[i % KEPT].first, last_[i % KEPT].second);
            comma = ",";
        }
        fprintf(file, "],\"outside\":%s}\n", outside_.c_str());
        if (options.report && fclose(file)) refuse("cannot write the report");
        return end_ && !strcmp(end_, "exit") ? int(status_ & 255) : 3;
    }

  private:
    std::unique_ptr<uint8_t, decltype(&free)> ram_;
    FILE *trace_ = nullptr;
    const char *end_ = nullptr;
    unsigned status_ = 0;
    uint64_t retired_ = 0, latest_ = 0, since_ = 0, from_ = 0;
    std::vector<std::pair<uint64_t, uint64_t>> regions_;
    std::pair<uint64_t, uint32_t> last_[KEPT];
    std::string outside_ = "null";

    static double seconds() {
        timespec now;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
    }

    void outside(uint64_t address) { outside_ = std::to_string(address); }

    void mail(uint64_t base, uint64_t value, uint8_t strobe, unsigned bytes) {
        for (unsigned i = 0; i < bytes; i += 4) {
            if (!(strobe >> i & 1)) continue;
            uint32_t word = uint32_t(value >> 8 * i);
            if (base + i == CONSOLE) putchar(int(word & 255));
            else if (base + i == STATUS && !end_) {
                status_ = word;
                end_ = "exit";
            }
        }
    }

    void load(const char *path) {
        FILE *file = fopen(path, "rb");
        if (!file) refuse(std::string("cannot open ") + path);
        std::vector<uint8_t> elf;
        uint8_t part[65536];
        for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;) elf.insert(elf.end(), part, part + got);
        fclose(file);
        if (elf.size() < 64 || memcmp(elf.data(), "\177ELF", 4)) refuse("not an ELF file");
        wide = elf[4] == 2;
        auto field = [&](uint64_t at, unsigned bytes) {
            uint64_t value = 0;
            if (at + bytes > elf.size()) refuse("a truncated ELF file");
            memcpy(&value, &elf[at], bytes);
            return value;
        };
        auto word = [&](uint64_t in32, uint64_t in64) { return wide ? field(in64, 8) : field(in32, 4); };
        entry = word(24, 24);
        uint64_t header = word(28, 32), size = field(wide ? 54 : 42, 2), count = field(wide ? 56 : 44, 2);
        for (uint64_t i = 0, p = header; i < count; i++, p += size) {
            uint64_t offset = word(p + 4, p + 8), address = word(p + 12, p + 24), bytes = word(p + 16, p + 32);
            if (field(p, 4) != 1 || !bytes) continue;
            uint64_t at = address - RAM_BASE;
            if (at >= RAM_BYTES || bytes > RAM_BYTES - at || offset > elf.size() || bytes > elf.size() - offset)
                refuse("a segment outside RAM");
            memcpy(ram_.get() + at, &elf[offset], bytes);
        }
    }
};

} // namespace bench
