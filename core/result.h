// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace kvscope {

/// What went wrong. The sentence for each (what, why, how to mend) stands in ui/text.
enum class ErrorCode {
    FileNotFound,         ///< where = path
    NotAFile,             ///< a directory, socket, device; where = path
    NoPermission,         ///< where = path
    FileTooLarge,         ///< where = path, detail = the limit
    FileEmpty,            ///< where = path
    ReadFailed,           ///< where = path, detail = the system's word
    WriteFailed,          ///< where = path, detail = the system's word
    NotJson,              ///< where = path, detail = byte offset
    NotThisKind,          ///< JSON, but not the kind of file expected; where = path, detail = kind expected
    MissingField,         ///< where = JSON path, detail = accepted names
    WrongType,            ///< where = JSON path, detail = type expected
    OutOfRange,           ///< where = JSON path or option, detail = the accepted range
    NotDivisible,         ///< where = JSON path, detail = "a by b"
    UnknownArchitecture,  ///< where = model_type; the fields needed are absent too
    NewerVersion,         ///< a scenario from the future; detail = its version
    UnknownName,          ///< where = what was asked for, detail = near names, comma separated
    AmbiguousName,        ///< where = what was asked for, detail = the candidates
    BadSize,              ///< where = the text
    BadNumber,            ///< where = the text
    BadOption,            ///< where = option, detail = what it takes
    UnsupportedFormat,    ///< where = format, detail = near ones the engine has
    FlashAttentionNeeded, ///< where = type of V: quantised V can't be stored without it
    UnequalCacheTypes,    ///< where = type of K, detail = type of V: this model stores them as one
    HeadNotWholeBlocks,   ///< where = type, detail = head dimension that its blocks do not divide
    UnevenMemory,         ///< where = the device with the least free memory, detail = the one with the most: the engine does not start
    ImpossibleSplit,      ///< where = split, detail = what is allowed
    MissingModel,         ///< neither a model nor a shape was given
    MissingDevice,        ///< neither a device nor a size was given
    UnsupportedVersion,   ///< of a GGUF file; where = path, detail = its version
    CutShort,             ///< the file ends within its header; where = what was being read, detail = byte offset
    DamagedHeader,        ///< where = the key or tensor that can't be right, detail = byte offset
    WrongLength,          ///< where = a list with an entry a layer, detail = entries that it must have
    DuplicateName,        ///< where = "keys" or "tensors", detail = the name that a GGUF header has twice
    UnknownTensorType,    ///< where = tensor, detail = the type's number
    SplitMismatch,        ///< parts of a split file don't belong together; where = the part, detail = the key at odds, or "name"
    TooLarge,             ///< the figure can't be counted in 63 bits; where = the figure
};

/// A failure for a person to read: code, place, and one detail that the sentence needs.
struct Error {
    ErrorCode code{};
    std::string where;
    std::string detail;
    std::string file; ///< the file that `where` points into, if any

    bool operator==(const Error &) const = default;
};

/// A value or the reason why there is none. Becomes std::expected with C++23.
template<typename T>
class Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return m_state.index() == 0; }
    const T &operator*() const { return std::get<0>(m_state); }
    T &operator*() { return std::get<0>(m_state); }
    const T *operator->() const { return &std::get<0>(m_state); }
    T *operator->() { return &std::get<0>(m_state); }
    const Error &error() const { return std::get<1>(m_state); }

private:
    std::variant<T, Error> m_state;
};

} // namespace kvscope
