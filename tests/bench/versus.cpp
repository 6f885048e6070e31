// SPDX-License-Identifier: GPL-3.0-or-later
// versus ROUNDS A [ARG...] -- B [ARG...]: runs both programs in turn, prints the medians in ms and their ratio A/B.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <vector>

extern char **environ; // NOLINT(readability-redundant-declaration): POSIX names it, no header does

namespace {

/// Wall milliseconds from start to exit; negative if it can't be started or fails.
double run(char **argv)
{
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    const auto start = std::chrono::steady_clock::now();
    pid_t child = 0;
    const int error = posix_spawnp(&child, argv[0], &quiet, nullptr, argv, environ);
    posix_spawn_file_actions_destroy(&quiet);
    int status = 0;
    if (error != 0 || waitpid(child, &status, 0) < 0 || status != 0)
        return -1;
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

} // namespace

int main(int argc, char **argv)
{
    int dash = 0;
    for (int i = 2; i < argc; ++i) {
        if (std::strcmp(argv[i], "--") == 0)
            dash = i;
    }
    if (dash < 3 || dash + 1 >= argc) {
        std::fprintf(stderr, "versus ROUNDS A [ARG...] -- B [ARG...]\n");
        return 2;
    }
    argv[dash] = nullptr;
    std::vector<double> a, b;
    for (int round = 0; round < std::atoi(argv[1]) + 1; ++round) {
        const double first = run(argv + 2), second = run(argv + dash + 1);
        if (first < 0 || second < 0) {
            std::fprintf(stderr, "%s failed\n", first < 0 ? argv[2] : argv[dash + 1]);
            return 1;
        }
        if (round > 0) { // the first warms the caches
            a.push_back(first);
            b.push_back(second);
        }
    }
    std::printf("%.2f ms over %.2f ms, ratio %.2f\n", median(a), median(b), median(a) / median(b));
    return 0;
}
