// SPDX-License-Identifier: GPL-3.0-or-later
// bench_gguf ROUNDS: reading a GGUF's header over a plain walk of the same bytes, for vocabularies of 150,000 and 260,000; and the most memory that
// the reader holds at once. The walk maps the file and steps from length to length: no check, no copy, no model.
#include "core/import/gguf.h"
#include "tests/core/ggufwriter.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

std::size_t held = 0, mostHeld = 0;

} // namespace

void *operator new(std::size_t size)
{
    void *const block = std::malloc(size);
    if (!block)
        throw std::bad_alloc();
    held += malloc_usable_size(block);
    mostHeld = std::max(mostHeld, held);
    return block;
}
void operator delete(void *block) noexcept
{
    held -= malloc_usable_size(block);
    std::free(block);
}
void operator delete(void *block, std::size_t) noexcept { operator delete(block); }

namespace {

/// What a model of this vocabulary says of it: tokens, their types and scores, merges; and 300 tensors.
std::string header(int vocabulary)
{
    GgufFile file;
    file.text("general.architecture", "llama").u32("llama.block_count", 32).u32("llama.context_length", 131072);
    file.u32("llama.embedding_length", 4096).u32("llama.attention.head_count", 32).u32("llama.attention.head_count_kv", 8);
    std::vector<std::string> tokens, merges;
    for (int i = 0; i < vocabulary; ++i) {
        // Real tokens have about 6 bytes on average, merges twice that and a space.
        tokens.push_back(std::string(static_cast<std::size_t>(1 + i * 7 % 11), 't'));
        merges.push_back(tokens.back() + ' ' + std::string(static_cast<std::size_t>(1 + i * 5 % 11), 'm'));
    }
    const auto count = static_cast<std::size_t>(vocabulary);
    file.texts("tokenizer.ggml.tokens", tokens).array("tokenizer.ggml.token_type", I32, std::vector<std::int32_t>(count, 1));
    file.array("tokenizer.ggml.scores", F32, std::vector<float>(count, 0.5F)).texts("tokenizer.ggml.merges", merges);
    for (int block = 0; block < 32; ++block) {
        const std::string prefix = "blk." + std::to_string(block) + '.';
        for (const char *name : {"attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down"})
            file.tensor(prefix + name + ".weight", {4096, 4096}, 12, 4096 / 256 * 144 * 4096);
    }
    return file.header();
}

template<typename T>
T take(const unsigned char *&at)
{
    T value;
    std::memcpy(&value, at, sizeof(T));
    at += sizeof(T);
    return value;
}

void skipValue(const unsigned char *&at, std::uint32_t type)
{
    constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    if (type == String) {
        const auto length = take<std::uint64_t>(at);
        at += length;
    } else if (type == Array) {
        const auto element = take<std::uint32_t>(at);
        const auto count = take<std::uint64_t>(at);
        if (element == String) {
            for (std::uint64_t i = 0; i < count; ++i)
                skipValue(at, String);
        } else {
            at += count * sizes[element];
        }
    } else {
        at += sizes[type];
    }
}

/// The sum of the offsets, so that nothing is left out.
std::uint64_t walk(const std::filesystem::path &path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info {};
    ::fstat(file, &info);
    const auto size = static_cast<std::size_t>(info.st_size);
    void *const map = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    const auto *at = static_cast<const unsigned char *>(map) + 8;
    const auto tensors = take<std::int64_t>(at), keys = take<std::int64_t>(at);
    for (std::int64_t i = 0; i < keys; ++i) {
        skipValue(at, String);
        const auto type = take<std::uint32_t>(at);
        skipValue(at, type);
    }
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < tensors; ++i) {
        skipValue(at, String);
        const auto dimensions = take<std::uint32_t>(at);
        at += dimensions * sizeof(std::int64_t) + sizeof(std::uint32_t);
        sum += take<std::uint64_t>(at);
    }
    ::munmap(map, size);
    ::close(file);
    return sum;
}

double milliseconds(std::chrono::steady_clock::time_point start)
{
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
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 30;
    const std::filesystem::path path = std::filesystem::temp_directory_path() / ("bench-" + std::to_string(::getpid()) + ".gguf");
    bool good = true;
    for (const int vocabulary : {150'000, 260'000}) {
        const std::string bytes = header(vocabulary);
        std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        std::vector<double> reading, walking;
        std::size_t most = 0;
        for (int round = 0; round <= rounds; ++round) {
            held = mostHeld = 0;
            auto start = std::chrono::steady_clock::now();
            const Result<GgufModel> model = ggufFromFile(path);
            const double read = milliseconds(start);
            most = mostHeld;
            good = good && model && model->vocab == vocabulary;
            start = std::chrono::steady_clock::now();
            good = walk(path) > 0 && good;
            const double walked = milliseconds(start);
            if (round > 0) { // the first warms the caches
                reading.push_back(read);
                walking.push_back(walked);
            }
        }
        std::printf("%s%d tokens, %.1f MB: %.2f ms over %.2f ms, ratio %.2f, at most %.2f MiB held", vocabulary > 200'000 ? "; " : "",
                    vocabulary, static_cast<double>(bytes.size()) / 1e6, median(reading), median(walking),
                    median(reading) / median(walking), static_cast<double>(most) / 1048576.0);
    }
    std::printf("\n");
    std::filesystem::remove(path);
    return good ? 0 : 1;
}
