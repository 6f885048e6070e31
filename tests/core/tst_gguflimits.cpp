// SPDX-License-Identifier: GPL-3.0-or-later
// GGUF headers that are wrong: one clear error for each limit of spec/local-engines.md 1.6, and never a crash.
#include "core/import/gguf.h"
#include "core/import/ggufspec.h"
#include "core/import/import.h"
#include "tests/core/ggufwriter.h"

#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

Result<GgufModel> readStream(const std::string &bytes)
{
    std::istringstream stream(bytes);
    return ggufFromInput(*bytesOf(stream), "bad.gguf");
}

void write(const std::filesystem::path &path, const std::string &bytes)
{
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Magic, version 3, and counts: what stands before the first key.
GgufBytes start(std::int64_t tensors, std::int64_t keys)
{
    GgufBytes bytes;
    bytes.raw("GGUF").number<std::uint32_t>(3).number(tensors).number(keys);
    return bytes;
}

std::string plusByte(std::string bytes) { return std::move(bytes) + '\0'; }

} // namespace

Q_DECLARE_METATYPE(std::string)
Q_DECLARE_METATYPE(kvscope::ErrorCode)

class TestGgufLimits : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void refused_data()
    {
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("detail");
        const auto row = [](const char *name, const std::string &bytes, ErrorCode code, const char *where, const QString &detail = {}) {
            QTest::newRow(name) << bytes << code << QString::fromUtf8(where) << detail;
        };
        const auto at = [](std::size_t offset) { return QString::number(offset); };
        constexpr std::uint64_t huge = 1ULL << 62;
        constexpr std::uint32_t u32 = 0xffffffff;

        row("empty", {}, ErrorCode::FileEmpty, "bad.gguf");
        row("three bytes", "GGU", ErrorCode::NotThisKind, "bad.gguf", QStringLiteral("gguf"));
        row("other magic", std::string(64, 'x'), ErrorCode::NotThisKind, "bad.gguf", QStringLiteral("gguf"));
        for (const std::uint32_t version : {0U, 1U, 4U, 0x300U, u32})
            row(qPrintable(QStringLiteral("version %1").arg(version)), GgufFile(version).header(), ErrorCode::UnsupportedVersion,
                "bad.gguf", QString::number(version));
        row("version 4, big-endian", GgufFile(4, true).header(), ErrorCode::UnsupportedVersion, "bad.gguf", QStringLiteral("4"));
        row("negative tensors", start(-1, 0).bytes(), ErrorCode::DamagedHeader, "tensors", at(8));
        row("too many tensors", start(1 << 20, 0).bytes(), ErrorCode::DamagedHeader, "tensors", at(8));
        row("negative keys", start(0, -1).bytes(), ErrorCode::DamagedHeader, "keys", at(16));
        row("too many keys", start(0, 1LL << 40).bytes(), ErrorCode::DamagedHeader, "keys", at(16));

        row("key's length", start(0, 1).number(huge).bytes(), ErrorCode::DamagedHeader, "key 1", at(24));
        row("empty key", start(0, 1).text("").number<std::uint32_t>(U32).number(1U).bytes(), ErrorCode::DamagedHeader, "key 1", at(24));
        row("value's type", start(0, 1).text("a").number(13U).number(1U).bytes(), ErrorCode::DamagedHeader, "a", at(33));
        row("value's type, negative", start(0, 1).text("a").number(u32).number(1U).bytes(), ErrorCode::DamagedHeader, "a", at(33));
        row("string's length", start(0, 1).text("a").number<std::uint32_t>(String).number(huge).bytes(), ErrorCode::DamagedHeader, "a",
            at(37));
        row("array of arrays", start(0, 1).text("a").number<std::uint32_t>(Array).number<std::uint32_t>(Array).bytes(),
            ErrorCode::DamagedHeader, "a", at(37));
        row("array's count", start(0, 1).text("a").number<std::uint32_t>(Array).number<std::uint32_t>(U8).number(huge).bytes(),
            ErrorCode::DamagedHeader, "a", at(41));
        row("string in an array",
            start(0, 1).text("a").number<std::uint32_t>(Array).number<std::uint32_t>(String).number<std::uint64_t>(1).number(huge).bytes(),
            ErrorCode::DamagedHeader, "a", at(49));
        row("key twice", smallKeys().u32("llama.block_count", 2).header(), ErrorCode::DuplicateName, "keys",
            QStringLiteral("llama.block_count"));

        const auto keys = [&row](const char *name, GgufFile file, ErrorCode code, const char *where, const char *detail = "") {
            row(name, smallTensors(file).header(), code, where, QString::fromUtf8(detail));
        };
        const auto model = [](std::uint32_t blocks = 2) {
            GgufFile file;
            file.text("general.architecture", "llama").u32("llama.block_count", blocks).u32("llama.context_length", 8);
            file.u32("llama.embedding_length", 64);
            return file;
        };
        keys("no architecture", GgufFile().u32("a", 1), ErrorCode::MissingField, "general.architecture");
        keys("architecture is a number", GgufFile().u32("general.architecture", 1), ErrorCode::WrongType, "general.architecture", "string");
        keys("no blocks", GgufFile().text("general.architecture", "a"), ErrorCode::MissingField, "a.block_count");
        keys("0 blocks", model(0), ErrorCode::OutOfRange, "llama.block_count", "1..512");
        keys("513 blocks", model(513), ErrorCode::OutOfRange, "llama.block_count", "1..512");
        keys("blocks as text", GgufFile().text("general.architecture", "a").text("a.block_count", "2"), ErrorCode::WrongType,
             "a.block_count", "integer");
        keys("no width", GgufFile().text("general.architecture", "a").u32("a.block_count", 1), ErrorCode::MissingField,
             "a.embedding_length");
        keys("1025 experts", model().u32("llama.expert_count", 1025), ErrorCode::OutOfRange, "llama.expert_count", "0..1024");
        keys("more used than there", model().u32("llama.expert_count", 8).u32("llama.expert_used_count", 9), ErrorCode::OutOfRange,
             "llama.expert_used_count", "0..8");
        keys("short list", model().array<std::uint32_t>("llama.attention.head_count", U32, {4}), ErrorCode::WrongLength,
             "llama.attention.head_count", "2");
        keys("negative heads", model().array<std::int32_t>("llama.attention.head_count_kv", I32, {4, -1}), ErrorCode::OutOfRange,
             "llama.attention.head_count_kv", "0..65536");
        keys("heads beyond counting", model().add<std::uint64_t>("llama.attention.head_count", U64, ~0ULL), ErrorCode::OutOfRange,
             "llama.attention.head_count", "0..65536");
        keys("tokens are numbers", model().array<std::uint32_t>("tokenizer.ggml.tokens", U32, {1}), ErrorCode::WrongType,
             "tokenizer.ggml.tokens", "list");
        keys("part of a split", model().add<std::uint16_t>("split.count", U16, 2), ErrorCode::SplitMismatch, "bad.gguf", "name");
        keys("part's number as text", model().text("split.no", "1"), ErrorCode::WrongType, "split.no", "integer");
        keys("alignment's type", model().add<std::uint64_t>("general.alignment", U64, 32), ErrorCode::WrongType, "general.alignment",
             "u32");
        for (const std::uint32_t alignment : {0U, 48U, 131072U})
            keys(qPrintable(QStringLiteral("alignment %1").arg(alignment)), model().u32("general.alignment", alignment),
                 ErrorCode::OutOfRange, "general.alignment", "1, 2, 4, ..., 65536");

        // One tensor behind the keys: its name's length stands first.
        const std::size_t info = smallKeys().header().size();
        const auto tensor = [&row](const char *name, const std::function<void(GgufFile &)> &add, ErrorCode code, const char *where,
                                   const QString &detail) {
            GgufFile file = smallKeys();
            add(file);
            row(name, file.header(), code, where, detail);
        };
        const std::string longest(63, 'n');
        tensor(
            "name of 64 bytes", [&](GgufFile &f) { f.tensor(longest + 'n', {1}, 0, 4); }, ErrorCode::DamagedHeader, "tensor 1", at(info));
        tensor(
            "5 dimensions",
            [](GgufFile &f) {
                f.tensor("t", {1, 1, 1, 1, 1}, 0, 4);
            },
            ErrorCode::DamagedHeader, "t", at(info + 9));
        tensor(
            "negative dimension",
            [](GgufFile &f) {
                f.tensor("t", {4, -1}, 0, 4);
            },
            ErrorCode::DamagedHeader, "t", at(info + 13));
        tensor(
            "too many elements",
            [](GgufFile &f) {
                f.tensor("t", {1LL << 32, 1LL << 32}, 0, 4);
            },
            ErrorCode::DamagedHeader, "t", at(info + 13));
        tensor(
            "too many elements but one dimension",
            [](GgufFile &f) {
                f.tensor("t", {1LL << 32, 1LL << 32, 0}, 0, 0);
            },
            ErrorCode::DamagedHeader, "t", at(info + 13));
        tensor(
            "too many bytes", [](GgufFile &f) { f.tensor("t", {1LL << 61}, 0, 4); }, ErrorCode::DamagedHeader, "t", at(info + 25));
        for (const std::uint32_t type : {4U, 5U, 31U, 32U, 33U, 36U, 37U, 38U, 43U, u32})
            tensor(
                qPrintable(QStringLiteral("type %1").arg(type)), [&](GgufFile &f) { f.tensor("t", {256}, type, 4); },
                ErrorCode::UnknownTensorType, "t", QString::number(type));
        tensor(
            "half a block", [](GgufFile &f) { f.tensor("t", {48}, 8, 51); }, ErrorCode::DamagedHeader, "t", at(info + 13));
        tensor("too many parameters", [](GgufFile &f) { f.tensor("t", {1LL << 50}, 0, 1ULL << 52); }, ErrorCode::TooLarge, "tensors", {});
        tensor(
            "first offset", [](GgufFile &f) { f.tensorAt("t", {1}, 0, 32); }, ErrorCode::DamagedHeader, "t", at(info + 25));
        tensor(
            "gap", [](GgufFile &f) { f.tensor("s", {1}, 0, 4).tensorAt("t", {1}, 0, 64); }, ErrorCode::DamagedHeader, "t",
            at(info + 33 + 25));
        tensor(
            "overlap", [](GgufFile &f) { f.tensor("s", {1}, 0, 4).tensorAt("t", {1}, 0, 0); }, ErrorCode::DamagedHeader, "t",
            at(info + 33 + 25));
        tensor(
            "sum of sizes", [](GgufFile &f) { f.tensorAt("s", {1LL << 60}, 0, 0).tensorAt("t", {1LL << 60}, 0, 1ULL << 62); },
            ErrorCode::DamagedHeader, "t", at(info + 33 + 25));
        tensor(
            "tensor twice", [](GgufFile &f) { f.tensor("t", {1}, 0, 4).tensor("s", {1}, 0, 4).tensor("t", {1}, 0, 4); },
            ErrorCode::DuplicateName, "tensors", QStringLiteral("t"));
    }
    void refused()
    {
        QFETCH(std::string, bytes);
        QFETCH(ErrorCode, code);
        QFETCH(QString, where);
        QFETCH(QString, detail);
        const Result<GgufModel> model = readStream(bytes);
        QVERIFY(!model);
        const Error &error = model.error();
        QCOMPARE(QString::fromStdString(error.where), where);
        QCOMPARE(QString::fromStdString(error.detail), detail);
        QCOMPARE(static_cast<int>(error.code), static_cast<int>(code));
        QCOMPARE(error.file, "bad.gguf");
    }

    /// Counts within the caps, but more than a file of known size holds: refused before a byte of it is read or kept.
    void beyondTheFile_data()
    {
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<int>("offset");
        const auto row = [](const char *name, const GgufBytes &bytes, int offset) { QTest::newRow(name) << bytes.bytes() << offset; };
        row("key", start(0, 1).number<std::uint64_t>(60000), 24);
        row("string", start(0, 1).text("a").number<std::uint32_t>(String).number<std::uint64_t>(1 << 29), 37);
        row("numbers",
            start(0, 1).text("a").number<std::uint32_t>(Array).number<std::uint32_t>(U64).number<std::uint64_t>(16000).number(1ULL), 41);
        row("strings",
            start(0, 1).text("a").number<std::uint32_t>(Array).number<std::uint32_t>(String).number<std::uint64_t>(1 << 29).text("x"), 41);
    }
    void beyondTheFile()
    {
        QFETCH(std::string, bytes);
        QFETCH(int, offset);
        QTemporaryDir folder;
        const std::filesystem::path path(folder.filePath(QStringLiteral("bad.gguf")).toStdU16String());
        write(path, bytes);
        const Result<GgufModel> model = ggufFromFile(path);
        QVERIFY(!model);
        QCOMPARE(static_cast<int>(model.error().code), static_cast<int>(ErrorCode::CutShort));
        QCOMPARE(QString::fromStdString(model.error().detail), QString::number(offset));
        QVERIFY(!readStream(bytes)); // of unknown size: the end says it
    }

    /// Cut at every byte: within the header an error that tells where, behind it a model that is incomplete until the last byte.
    void truncated()
    {
        QTemporaryDir folder;
        const std::filesystem::path path(folder.filePath(QStringLiteral("cut.gguf")).toStdU16String());
        GgufFile file = smallKeys();
        file.texts("tokenizer.ggml.tokens", {"a", "", "ccc"}).array<std::uint32_t>("llama.list", U32, {1, 2});
        const std::string header = smallTensors(file).header(), whole = file.whole();
        for (std::size_t length = 0; length < whole.size(); length += length < header.size() + 64 ? 1 : 97) {
            write(path, whole.substr(0, length));
            const Result<GgufModel> model = ggufFromFile(path);
            const Result<GgufModel> streamed = readStream(whole.substr(0, length));
            QCOMPARE(static_cast<bool>(model), length >= header.size());
            QCOMPARE(static_cast<bool>(streamed), length >= header.size());
            if (model) {
                QVERIFY(model->incomplete);
                continue;
            }
            const ErrorCode code = length == 0 ? ErrorCode::FileEmpty : length < 4 ? ErrorCode::NotThisKind : ErrorCode::CutShort;
            QCOMPARE(static_cast<int>(model.error().code), static_cast<int>(code));
            QCOMPARE(static_cast<int>(streamed.error().code), static_cast<int>(code));
            QCOMPARE(model.error().file, shown(path));
            if (code == ErrorCode::CutShort)
                QVERIFY(std::stoull(model.error().detail) <= length);
        }
        write(path, whole);
        QVERIFY(!ggufFromFile(path)->incomplete);
        write(path, plusByte(whole)); // more than enough
        QVERIFY(!ggufFromFile(path)->incomplete);
    }

    /// Bytes changed at random: a model or an error, and what is a model can be planned with.
    void mutated()
    {
        GgufFile file = smallKeys();
        file.array<std::uint32_t>("llama.attention.key_length", U32, {16, 16}).texts("tokenizer.ggml.tokens", {"a", "bb"});
        const std::string header = smallTensors(file).header();
        std::mt19937_64 random(20261129);
        constexpr int rounds = 20'000;
        int read = 0;
        for (int round = 0; round < rounds; ++round) {
            std::string bytes = header;
            for (std::uint64_t change = 0; change <= random() % 3; ++change) {
                constexpr std::array<char, 8> likely{'\0', '\1', '\x7f', '\x80', '\xff', '\x09', '\x08', '\x20'};
                bytes[random() % bytes.size()] = random() % 2 ? likely[random() % likely.size()] : static_cast<char>(random());
            }
            Result<GgufModel> model = readStream(bytes);
            if (!model) {
                QVERIFY(!model.error().where.empty());
                QCOMPARE(model.error().file, "bad.gguf");
                continue;
            }
            ++read;
            const Result<ModelSpec> spec = modelFromGguf(std::move(*model), "x");
            QVERIFY(spec ? spec->layerCount() >= 1 && spec->parameters().total() != tooLargeValue : !spec.error().where.empty());
        }
        QVERIFY(read > rounds / 100 && read < rounds); // both ways were gone
    }

    /// 60,000 tensors of distinct names are read in time that grows with their number alone.
    void manyNames()
    {
        GgufFile file = smallKeys();
        for (int i = 0; i < 60'000; ++i)
            file.tensor("t" + std::to_string(i), {1}, 0, 4);
        QElapsedTimer timer;
        timer.start();
        const Result<GgufModel> model = readStream(file.header());
        QVERIFY(model && model->tensors.size() == 60'000);
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_APPLESS_MAIN(TestGgufLimits)
#include "tst_gguflimits.moc"
