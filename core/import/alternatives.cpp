// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/alternatives.h"

#include <cctype>

namespace kvscope {

namespace {

constexpr std::size_t mostAlternatives = 256; ///< that one pattern is written out to
constexpr std::size_t longest = 1024;         ///< expression that is read

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Reads one expression from left to right.
class Alternatives {
public:
    explicit Alternatives(std::string_view text) : m_text(text) {}

    std::vector<std::string> all()
    {
        std::vector<std::string> names = branches();
        return m_failed || m_at != m_text.size() ? std::vector<std::string>{} : names;
    }

private:
    using Names = std::vector<std::string>;

    /// Up to a closing parenthesis or the end.
    Names branches()
    {
        Names names = sequence();
        while (!m_failed && m_at < m_text.size() && m_text[m_at] == '|') {
            ++m_at;
            const Names more = sequence();
            names.insert(names.end(), more.begin(), more.end());
        }
        if (names.size() > mostAlternatives)
            m_failed = true;
        return names;
    }

    Names sequence()
    {
        Names names{""};
        while (!m_failed && m_at < m_text.size() && m_text[m_at] != '|' && m_text[m_at] != ')') {
            const Names next = repeated(one());
            if (names.size() * next.size() > mostAlternatives) {
                m_failed = true;
                break;
            }
            Names joined;
            for (const std::string &start : names)
                for (const std::string &end : next)
                    joined.push_back(start + end);
            names = std::move(joined);
        }
        return names;
    }

    Names one()
    {
        const char c = m_text[m_at++];
        if (c == '^' || c == '$')
            return {""};
        if (c == '\\' && m_at < m_text.size()) {
            const char escaped = m_text[m_at++];
            if (escaped == 'd' || escaped == 'w')
                return {"*"};
            m_failed = m_failed || std::isalnum(static_cast<unsigned char>(escaped)) != 0;
            return {std::string(1, escaped)};
        }
        if (c == '(')
            return parenthesis();
        if (c == '[')
            return brackets();
        m_failed = m_failed || c == '*' || c == '+' || c == '{';
        return {std::string(1, c)};
    }

    Names parenthesis()
    {
        if (m_text.substr(m_at).starts_with("?:"))
            m_at += 2;
        if (++m_depth > 8 || m_at >= m_text.size() || m_text[m_at] == '?') {
            m_failed = true;
            return {};
        }
        Names names = branches();
        --m_depth;
        m_failed = m_failed || m_at >= m_text.size();
        ++m_at;
        return names;
    }

    /// Single digits and ranges of them.
    Names brackets()
    {
        Names names;
        while (m_at < m_text.size() && m_text[m_at] != ']') {
            const char first = m_text[m_at++];
            char last = first;
            if (m_at + 1 < m_text.size() && m_text[m_at] == '-' && m_text[m_at + 1] != ']') {
                last = m_text[m_at + 1];
                m_at += 2;
            }
            m_failed = m_failed || !isDigit(first) || !isDigit(last);
            for (char c = first; !m_failed && c <= last; ++c)
                names.push_back(std::string(1, c));
        }
        m_failed = m_failed || m_at >= m_text.size();
        ++m_at;
        return names;
    }

    Names repeated(Names names)
    {
        if (m_failed || m_at >= m_text.size())
            return names;
        const char c = m_text[m_at];
        if (c == '?') {
            ++m_at;
            names.push_back("");
        } else if (c == '*' || c == '+') {
            ++m_at;
            if (m_at < m_text.size() && m_text[m_at] == '?')
                ++m_at;
            names = {"*"};
        }
        return names;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_depth = 0;
    bool m_failed = false;
};

} // namespace

std::vector<std::string> alternativesOf(std::string_view expression)
{
    return expression.size() > longest ? std::vector<std::string>{} : Alternatives(expression).all();
}

} // namespace kvscope
