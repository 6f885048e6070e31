// SPDX-License-Identifier: GPL-3.0-or-later
// GGUF headers that are right: what is read of them, in both byte orders, split, and through pipes.
#include "core/import/gguf.h"
#include "core/import/import.h"
#include "tests/core/ggufwriter.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#ifndef Q_OS_WIN
#include <sys/stat.h>
#endif

using namespace kvscope;
using namespace kvscope::testing;

namespace {

Result<GgufModel> readBytes(const std::string &bytes)
{
    std::istringstream stream(bytes);
    return ggufFromInput(*bytesOf(stream), "small.gguf");
}

void write(const std::filesystem::path &path, const std::string &bytes)
{
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

QString said(const Error &error)
{
    return QStringLiteral("code %1, %2, %3, %4")
        .arg(static_cast<int>(error.code))
        .arg(QString::fromStdString(error.where), QString::fromStdString(error.detail), QString::fromStdString(error.file));
}

/// Empty if all is well.
template<typename T>
QString said(const Result<T> &result)
{
    return result ? QString() : said(result.error());
}

std::filesystem::path pathOf(const QString &path) { return path.toStdU16String(); }

} // namespace

class TestGguf : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void smallModel_data()
    {
        QTest::addColumn<unsigned>("version");
        QTest::addColumn<bool>("bigEndian");
        QTest::newRow("version 3") << 3U << false;
        QTest::newRow("version 3, big-endian") << 3U << true;
        QTest::newRow("version 2") << 2U << false;
    }
    /// The same model whatever the version and byte order.
    void smallModel()
    {
        QFETCH(unsigned, version);
        QFETCH(bool, bigEndian);
        const Result<GgufModel> model = readBytes(smallFile(version, bigEndian).header());
        QVERIFY2(model, qPrintable(said(model)));
        QCOMPARE(model->architecture, "llama");
        QCOMPARE(model->name, "Small");
        QCOMPARE(model->fileType, 7);
        QCOMPARE(model->vocab, 100);
        QCOMPARE(model->keys.size(), std::size_t{6});
        QCOMPARE(model->number("context_length"), 4096);
        QCOMPARE(model->number("attention.head_count_kv"), 2);
        QVERIFY(!model->has("general.file_type") && !model->has("file_type"));
        QCOMPARE(model->tensors.size(), std::size_t{6});
        QCOMPARE(model->tensors[5].name, "blk.1.attn_q.weight");
        QCOMPARE(model->tensors[5].type, Format::Q8_0);
        QCOMPARE(model->tensors[5].dims, (std::array<std::int64_t, 4>{64, 64, 1, 1}));
        // Rows of 64 are 2 blocks of 34 bytes: 68 x 100 for the table, 68 x 64 for each matrix, and 3 norms of 256 bytes.
        QCOMPARE(model->tensorBytes().value, 6800 + 2 * 4352 + 3 * 256);
        QVERIFY(!model->incomplete);
    }

    /// Every kind of whole number counts, and bools; floats and strings are passed over.
    void numbers()
    {
        GgufFile file = smallKeys();
        file.add<std::uint8_t>("llama.a", U8, 255).add<std::int8_t>("llama.b", I8, -128).add<std::uint16_t>("llama.c", U16, 65535);
        file.add<std::int16_t>("llama.d", I16, -32768).add<std::int32_t>("llama.e", I32, -7).add<std::uint8_t>("llama.f", Bool, 7);
        file.add<std::uint64_t>("llama.g", U64, 1ULL << 63).add<std::int64_t>("llama.h", I64, -(1LL << 62));
        file.add<float>("llama.i", F32, 1.5F).add<double>("llama.j", F64, 2.5).text("llama.k", "text");
        file.array<std::uint8_t>("llama.l", Bool, {0, 1, 2}).array<std::int32_t>("llama.m", I32, {5, -6}).array<float>("llama.n", F32, {1});
        file.texts("llama.o", {"x", "y"}).array<std::uint32_t>("llama.p", U32, {}).add<std::uint32_t>("other.q", U32, 9);
        smallTensors(file);
        const Result<GgufModel> model = readBytes(file.header());
        QVERIFY2(model, qPrintable(said(model)));
        const std::vector<std::pair<const char *, std::int64_t>> expected{
            {"a", 255}, {"b", -128}, {"c", 65535}, {"d", -32768}, {"e", -7}, {"f", 1}, {"g", tooLargeValue}, {"h", -(1LL << 62)}};
        for (const auto &[key, value] : expected)
            QCOMPARE(model->number(key), value);
        for (const char *key : {"i", "j", "k", "n", "o", "p", "q", "other.q"})
            QVERIFY2(!model->has(key), key);
        QCOMPARE(model->keys.at("l"), (GgufNumbers{{0, 1, 1}, true}));
        QCOMPARE(model->ofLayer("m", 1), -6);
        QCOMPARE(model->ofLayer("m", 2, 77), 77);
    }

    /// Strings across every edge of the reader's window, and some longer than it; mapped and streamed alike.
    void longStrings()
    {
        std::vector<std::string> tokens;
        for (std::size_t i = 0; i < 60'000; ++i)
            tokens.emplace_back(i % 17, 't');
        for (const std::size_t length : {262'143, 262'144, 262'145, 1'000'000})
            tokens.emplace_back(length, 'x');
        GgufFile file = smallKeys();
        file.texts("tokenizer.ggml.tokens", tokens).text("general.description", std::string(700'000, 'd'));
        file.array("tokenizer.ggml.scores", F32, std::vector<float>(200'000, 1));
        const std::string header = smallTensors(file).header();
        QTemporaryDir folder;
        const std::filesystem::path path = pathOf(folder.filePath(QStringLiteral("long.gguf")));
        write(path, header);
        for (const Result<GgufModel> &model : {readBytes(header), ggufFromFile(path)}) {
            QVERIFY2(model, qPrintable(said(model)));
            QCOMPARE(model->vocab, 60'004);
            QCOMPARE(model->tensors.size(), std::size_t{6});
        }
    }

    /// Keys may come before the architecture that they belong to.
    void architectureLast()
    {
        GgufFile file;
        file.u32("llama.block_count", 2)
            .u32("llama.context_length", 8)
            .u32("llama.embedding_length", 64)
            .text("general.architecture", "llama");
        const Result<GgufModel> model = readBytes(file.header());
        QVERIFY2(model, qPrintable(said(model)));
        QCOMPARE(model->blocks(), 2);
        QCOMPARE(model->vocab, 0);
    }

    /// Tokens, else vocab_size of a model that says it has no tokenizer, else the rows of the table (1.6).
    void vocabulary()
    {
        GgufFile table = smallKeys();
        QCOMPARE(readBytes(smallTensors(table).header())->vocab, 100);
        GgufFile key = smallKeys();
        key.u32("llama.vocab_size", 50).text("tokenizer.ggml.model", "no_vocab");
        QCOMPARE(readBytes(smallTensors(key).header())->vocab, 50);
        GgufFile both = smallKeys();
        both.u32("llama.vocab_size", 50).text("tokenizer.ggml.model", "gpt2");
        QCOMPARE(readBytes(smallTensors(both).header())->vocab, 100);
    }

    /// Each type's blocks: a row of one block, 3 rows. Sizes by hand from the table of 1.2.
    void types_data()
    {
        QTest::addColumn<unsigned>("id");
        QTest::addColumn<int>("block");
        QTest::addColumn<int>("bytes");
        const std::vector<std::array<int, 3>> rows{
            {0, 1, 4},      {1, 1, 2},     {2, 32, 18},    {3, 32, 20},    {6, 32, 22},    {7, 32, 24},    {8, 32, 34},
            {9, 32, 36},    {10, 256, 84}, {11, 256, 110}, {12, 256, 144}, {13, 256, 176}, {14, 256, 210}, {15, 256, 292},
            {16, 256, 66},  {17, 256, 74}, {18, 256, 98},  {19, 256, 50},  {20, 32, 18},   {21, 256, 110}, {22, 256, 82},
            {23, 256, 136}, {24, 1, 1},    {25, 1, 2},     {26, 1, 4},     {27, 1, 8},     {28, 1, 8},     {29, 256, 56},
            {30, 1, 2},     {34, 256, 54}, {35, 256, 66},  {39, 32, 17},   {40, 64, 36},   {41, 128, 18},  {42, 64, 18}};
        for (const auto &[id, block, bytes] : rows)
            QTest::addRow("%d", id) << static_cast<unsigned>(id) << block << bytes;
    }
    void types()
    {
        QFETCH(unsigned, id);
        QFETCH(int, block);
        QFETCH(int, bytes);
        GgufFile file = smallKeys();
        file.tensor("x", {block, 3}, id, static_cast<std::uint64_t>(3 * bytes)).tensor("y", {1}, 0, 4);
        const Result<GgufModel> model = readBytes(file.header());
        QVERIFY2(model, qPrintable(said(model)));
        QCOMPARE(model->tensors[0].bytes().value, 3 * bytes);
        if (block > 1) { // half a block is no row
            GgufFile half = smallKeys();
            half.tensor("x", {block + block / 2}, id, 64);
            const Result<GgufModel> refused = readBytes(half.header());
            QVERIFY(!refused && refused.error().code == ErrorCode::DamagedHeader);
        }
    }

    void worked()
    {
        // 1.1's example: {4096, 14336} in q4_K takes 33,030,144 bytes, as f16 117,440,512.
        QCOMPARE((GgufTensor{"x", {4096, 14336, 1, 1}, Format::Q4_K}.bytes().value), 33'030'144);
        QCOMPARE((GgufTensor{"x", {4096, 14336, 1, 1}, Format::F16}.bytes().value), 117'440'512);
        // Empty tensors and scalars are tensors.
        GgufFile file = smallKeys();
        file.tensor("empty", {0, 7}, 0, 0).tensor("scalar", {}, 0, 4).tensor("last", {1, 1, 1, 1}, 0, 4);
        const Result<GgufModel> model = readBytes(file.header());
        QVERIFY2(model, qPrintable(said(model)));
        QCOMPARE(model->tensorBytes().value, 8);
    }

    /// Padding by general.alignment, and data that is there whole, one byte short, or not at all.
    void data()
    {
        QTemporaryDir folder;
        const std::filesystem::path path = pathOf(folder.filePath(QStringLiteral("any name")));
        GgufFile aligned = smallKeys();
        aligned.u32("general.alignment", 4096).align(4096);
        for (const GgufFile &file : {smallFile(), smallTensors(aligned)}) {
            const std::string whole = file.whole();
            write(path, whole);
            Result<GgufModel> model = ggufFromFile(path);
            QVERIFY2(model, qPrintable(said(model)));
            QVERIFY(!model->incomplete);
            for (const std::string &part : {whole.substr(0, whole.size() - 1), file.header()}) {
                write(path, part);
                model = ggufFromFile(path);
                QVERIFY(model && model->incomplete);
            }
        }
        write(path, smallKeys().header());
        QVERIFY(!ggufFromFile(path)->incomplete); // no tensors, no data
    }

    void split()
    {
        QTemporaryDir folder;
        const auto part = [&](int number) {
            return pathOf(folder.filePath(QStringLiteral("m-%1-of-00003.gguf").arg(number, 5, 10, QLatin1Char('0'))));
        };
        GgufFile first = smallKeys(), second, third(3, true);
        first.add<std::uint16_t>("split.no", U16, 0)
            .add<std::uint16_t>("split.count", U16, 3)
            .add<std::int32_t>("split.tensors.count", I32, 4);
        first.tensor("token_embd.weight", {64, 100}, 0, 25600);
        second.add<std::uint16_t>("split.no", U16, 1).tensor("a", {1}, 0, 4).tensor("b", {1}, 0, 4);
        third.add<std::uint16_t>("split.no", U16, 2).add<std::uint16_t>("split.count", U16, 3).tensor("c", {1}, 0, 4);
        write(part(1), first.whole());
        write(part(2), second.whole());
        write(part(3), third.whole());
        for (int i = 1; i <= 3; ++i) {
            const Result<GgufModel> model = ggufFromFile(part(i));
            QVERIFY2(model, qPrintable(said(model)));
            QCOMPARE(model->tensors.size(), std::size_t{4});
            QCOMPARE(model->tensors[3].name, "c");
            QVERIFY(!model->incomplete);
            const Result<ModelSpec> spec = modelFromPath(part(i));
            QCOMPARE(spec->id, "m");
        }
        write(part(2), second.header());
        QVERIFY(ggufFromFile(part(1))->incomplete);

        // What does not belong together.
        const auto mismatch = [&](int given, int at, const char *key) {
            const Result<GgufModel> model = ggufFromFile(part(given));
            QVERIFY(!model);
            QCOMPARE(said(model.error()), said({ErrorCode::SplitMismatch, shown(part(at)), key, shown(part(at))}));
        };
        write(part(2), third.header());
        mismatch(1, 2, "split.no");
        mismatch(3, 2, "split.no");
        GgufFile other;
        other.add<std::uint16_t>("split.no", U16, 1).add<std::uint16_t>("split.count", U16, 4).tensor("a", {1}, 0, 4);
        write(part(2), other.header());
        mismatch(1, 2, "split.count");
        GgufFile fewer;
        fewer.add<std::uint16_t>("split.no", U16, 1).tensor("a", {1}, 0, 4);
        write(part(2), fewer.whole());
        mismatch(1, 1, "split.tensors.count");
        GgufFile twice;
        twice.add<std::uint16_t>("split.no", U16, 1).tensor("c", {1}, 0, 4).tensor("b", {1}, 0, 4);
        write(part(2), twice.whole());
        QCOMPARE(ggufFromFile(part(3)).error().code, ErrorCode::DuplicateName);
        std::filesystem::remove(part(2));
        Result<GgufModel> missing = ggufFromFile(part(1));
        QCOMPARE(said(missing.error()), said({ErrorCode::FileNotFound, shown(part(2)), {}, {}}));
        const std::filesystem::path renamed = pathOf(folder.filePath(QStringLiteral("renamed.gguf")));
        std::filesystem::rename(part(1), renamed);
        missing = ggufFromFile(renamed);
        QCOMPARE(said(missing.error()), said({ErrorCode::SplitMismatch, shown(renamed), "name", shown(renamed)}));
        QCOMPARE(readBytes(first.header()).error().code, ErrorCode::SplitMismatch); // a stream has no neighbours
    }

    /// The header through a pipe is enough; what follows is not waited for.
    void pipe()
    {
#ifndef Q_OS_WIN
        QTemporaryDir folder;
        const QByteArray path = folder.filePath(QStringLiteral("pipe")).toUtf8();
        QCOMPARE(::mkfifo(path.constData(), 0600), 0);
        const Result<ModelSpec> nobody = modelFromPath(path.toStdString());
        QVERIFY(!nobody && nobody.error().code == ErrorCode::FileEmpty); // and no waiting
        const std::string header = smallFile().header();
        std::FILE *const keeper = std::fopen(path.constData(), "r+");
        std::fwrite(header.data(), 1, header.size(), keeper);
        std::fflush(keeper);
        Result<ModelSpec> model = Error{};
        std::thread reader([&] { model = modelFromPath(path.toStdString()); });
        QTest::qSleep(100);
        std::fclose(keeper);
        reader.join();
        QVERIFY2(model, qPrintable(said(model)));
        QCOMPARE(model->gguf->tensors.size(), std::size_t{6});
        QVERIFY(!model->gguf->incomplete);
#endif
        std::istringstream stream(smallFile().header());
        const Result<ModelSpec> streamed = modelFromStream(stream, "-");
        QVERIFY2(streamed, qPrintable(said(streamed)));
        QCOMPARE(streamed->name, "Small");
        QVERIFY(streamed->reference.empty());
        std::istringstream config(R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4,
            "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 4096})");
        QCOMPARE(modelFromStream(config, "-")->layerCount(), 2);
    }
};

QTEST_APPLESS_MAIN(TestGguf)
#include "tst_gguf.moc"
