// Exceptions, run-time types, containers, threads of the language's own.
#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Tracked {
    explicit Tracked(std::string name) : name(std::move(name)) {}
    ~Tracked() { std::cout << "gone: " << name << '\n'; }
    std::string name;
};

static int depth(int left) {
    Tracked tracked("level " + std::to_string(left));
    if (left == 0) throw std::out_of_range("deep enough");
    return depth(left - 1) + 1;
}

int main() {
    try {
        depth(3);
    } catch (const std::logic_error &error) {
        std::cout << "caught: " << error.what() << '\n';
    }
    try {
        try {
            throw 42;
        } catch (int number) {
            std::cout << number << '\n';
            throw;
        }
    } catch (...) {
        std::cout << "again\n";
    }
    std::map<std::string, std::vector<double>> table;
    for (int i = 0; i < 100; i++) table["key " + std::to_string(i % 7)].push_back(i / 3.0);
    for (auto &[key, values] : table) std::cout << key << ' ' << values.size() << ' ' << values.back() << '\n';
    std::mutex lock;
    std::condition_variable ready;
    int stage = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            std::unique_lock<std::mutex> held(lock);
            ready.wait(held, [&] { return stage == i; });
            try {
                if (i == 2) throw std::runtime_error("in a thread");
                std::cout << "stage " << i << '\n';
            } catch (const std::exception &error) {
                std::cout << error.what() << '\n';
            }
            stage++;
            ready.notify_all();
        });
    for (auto &thread : threads) thread.join();
    std::vector<std::unique_ptr<Tracked>> owned;
    owned.push_back(std::make_unique<Tracked>("last"));
    return static_cast<int>(owned.size());
}
