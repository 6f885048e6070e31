// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>
#include <string>

namespace kvscope::testing {

/// Checks JSON against the files in resources/schema, by the keywords that they use. A keyword that is not known here is a failure,
/// so that no rule of a schema goes unchecked.
class SchemaChecker {
public:
    using Json = nlohmann::json;

    explicit SchemaChecker(std::string folder) : m_folder(std::move(folder)) {}

    /// Empty if `value` obeys; else the first complaint, with its JSON path. `closed`: keys that a schema does not name are a complaint.
    std::string check(const Json &value, const std::string &file, bool closed = false)
    {
        m_closed = closed;
        return node(value, load(file), file, "$");
    }

private:
    const Json &load(const std::string &file)
    {
        Json &schema = m_files[file];
        if (schema.is_null()) {
            std::ifstream stream(m_folder + '/' + file);
            schema = Json::parse(stream);
        }
        return schema;
    }

    std::string reference(const Json &value, const std::string &target, const std::string &file, const std::string &path)
    {
        const std::size_t hash = target.find('#');
        const std::string other = target.substr(0, hash).empty() ? file : target.substr(0, hash);
        const Json &whole = load(other);
        return node(value, hash == std::string::npos ? whole : whole.at(Json::json_pointer(target.substr(hash + 1))), other, path);
    }

    static bool hasType(const Json &value, const std::string &type)
    {
        return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
               (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
               (type == "number" && value.is_number()) || (type == "integer" && value.is_number_integer());
    }

    std::string node(const Json &value, const Json &schema, const std::string &file, const std::string &path)
    {
        static const std::set<std::string> known{
            "$schema", "$id",     "$defs",    "title",      "description",          "$ref",  "type",     "enum",
            "minimum", "maximum", "required", "properties", "additionalProperties", "items", "minItems", "maxItems"};
        for (const auto &[keyword, unused] : schema.items()) {
            if (!known.contains(keyword))
                return path + ": unknown keyword " + keyword;
        }
        if (schema.contains("$ref"))
            return reference(value, schema["$ref"], file, path);
        if (schema.contains("type") && !hasType(value, schema["type"]))
            return path + ": is no " + schema["type"].get<std::string>();
        if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
            return path + ": not in the list: " + value.dump();
        if (schema.contains("minimum") && value < schema["minimum"])
            return path + ": too small: " + value.dump();
        if (schema.contains("maximum") && value > schema["maximum"])
            return path + ": too large: " + value.dump();
        if (value.is_object())
            return object(value, schema, file, path);
        if (value.is_array()) {
            if (value.size() < schema.value("minItems", std::size_t{0}))
                return path + ": too few items";
            if (value.size() > schema.value("maxItems", value.size()))
                return path + ": too many items";
            for (std::size_t i = 0; schema.contains("items") && i < value.size(); ++i) {
                if (std::string complaint = node(value[i], schema["items"], file, path + '[' + std::to_string(i) + ']'); !complaint.empty())
                    return complaint;
            }
        }
        return {};
    }

    std::string object(const Json &value, const Json &schema, const std::string &file, const std::string &path)
    {
        for (const Json &key : schema.value("required", Json::array())) {
            if (!value.contains(key.get<std::string>()))
                return path + ": lacks " + key.get<std::string>();
        }
        const Json properties = schema.value("properties", Json::object());
        for (const auto &[key, inner] : value.items()) {
            std::string complaint;
            if (properties.contains(key))
                complaint = node(inner, properties[key], file, path + '.' + key);
            else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
                complaint = node(inner, schema["additionalProperties"], file, path + '.' + key);
            else if (m_closed || schema.value("additionalProperties", true) == false)
                complaint = path + ": key without a rule: " + key;
            if (!complaint.empty())
                return complaint;
        }
        return {};
    }

    std::string m_folder;
    std::map<std::string, Json> m_files;
    bool m_closed = false;
};

} // namespace kvscope::testing
