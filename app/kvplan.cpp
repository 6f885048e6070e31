// SPDX-License-Identifier: GPL-3.0-or-later
// main of the terminal program.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <streambuf>
#include <string>
#include <vector>

#include <QCoreApplication>

#ifdef Q_OS_WIN
#include <io.h>
#else
#include <sys/ioctl.h>
#include <unistd.h>
#endif

#include "app/cli/cli.h"
#include "ui/text/text.h"

namespace {

#ifdef Q_OS_WIN
constexpr int outputDescriptor = 1, errorDescriptor = 2;
std::int64_t writeTo(int descriptor, const char *text, std::size_t size) { return ::_write(descriptor, text, static_cast<unsigned>(size)); }
bool isTerminal(int descriptor) { return ::_isatty(descriptor) != 0; }
int columnsOf(int) { return 80; }
#else
constexpr int outputDescriptor = STDOUT_FILENO, errorDescriptor = STDERR_FILENO;
std::int64_t writeTo(int descriptor, const char *text, std::size_t size) { return ::write(descriptor, text, size); }
bool isTerminal(int descriptor) { return ::isatty(descriptor) != 0; }
int columnsOf(int descriptor)
{
    winsize size{};
    return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}
#endif

/// Standard output with a large buffer, that remembers why a write failed: a reader that has gone away is no error.
class OutputBuffer : public std::streambuf {
public:
    OutputBuffer() : m_buffer(1 << 16) { setp(m_buffer.data(), m_buffer.data() + m_buffer.size()); }
    int error() const { return m_error; }

protected:
    int_type overflow(int_type c) override
    {
        if (sync() != 0)
            return traits_type::eof();
        if (!traits_type::eq_int_type(c, traits_type::eof())) {
            *pptr() = traits_type::to_char_type(c);
            pbump(1);
        }
        return traits_type::not_eof(c);
    }
    std::streamsize xsputn(const char *text, std::streamsize size) override
    {
        if (size < epptr() - pptr()) {
            std::memcpy(pptr(), text, static_cast<std::size_t>(size));
            pbump(static_cast<int>(size));
            return size;
        }
        return sync() == 0 && send(text, static_cast<std::size_t>(size)) ? size : 0;
    }
    int sync() override
    {
        const bool sent = send(pbase(), static_cast<std::size_t>(pptr() - pbase()));
        setp(m_buffer.data(), m_buffer.data() + m_buffer.size());
        return sent ? 0 : -1;
    }

private:
    bool send(const char *text, std::size_t size)
    {
        while (size > 0 && m_error == 0) {
            const std::int64_t sent = writeTo(outputDescriptor, text, size);
            if (sent < 0 && errno == EINTR)
                continue;
            if (sent < 0) {
                m_error = errno;
                break;
            }
            text += sent;
            size -= static_cast<std::size_t>(sent);
        }
        return m_error == 0;
    }

    std::vector<char> m_buffer;
    int m_error = 0;
};

} // namespace

int main(int argc, char *argv[])
{
#ifdef SIGPIPE
    std::signal(SIGPIPE, SIG_IGN); // a reader that goes away shows as EPIPE
#endif
    const std::vector<std::string> words(argv + (argc > 0), argv + argc);
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("kvplan"));

    OutputBuffer buffer;
    std::ostream out(&buffer);
    const char *noColour = std::getenv("NO_COLOR");
    const bool outIsTerminal = isTerminal(outputDescriptor);
    const bool colour = outIsTerminal && (!noColour || *noColour == '\0');
    const kvscope::cli::Terminal terminal{std::cin, out, std::cerr, colour, isTerminal(errorDescriptor), columnsOf(outputDescriptor)};

    kvscope::Catalog catalog;
    const int status = kvscope::cli::run(words, terminal, catalog);
    out.flush();
    if (buffer.error() != 0 && buffer.error() != EPIPE) {
        const kvscope::Error error{kvscope::ErrorCode::WriteFailed, "stdout", std::strerror(buffer.error()), {}};
        std::cerr << "kvplan: " << kvscope::text::sentence(error).toStdString() << '\n';
        return 3;
    }
    return status;
}
