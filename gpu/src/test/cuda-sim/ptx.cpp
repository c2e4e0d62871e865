/*
 * Copyright 2026 The AeroSHMEM authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 * https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
#include "ptx.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

namespace cuda_sim
{

namespace
{

/* The text in words: names with their dots, numbers, and single characters. Comments are left out. */
std::vector<std::string> split(const std::string &text)
{
    std::vector<std::string> words;
    size_t at = 0;
    while (at < text.size())
    {
        const char c = text[at];
        if (0 == text.compare(at, 2, "//"))
        {
            at = text.find('\n', at);
        }
        else if (0 == text.compare(at, 2, "/*"))
        {
            at = text.find("*/", at + 2);
            at = std::string::npos == at ? at : at + 2;
        }
        else if (isspace(static_cast<unsigned char>(c)))
        {
            at++;
        }
        else if (isalnum(static_cast<unsigned char>(c)) || nullptr != strchr("._$%", c))
        {
            const size_t begin = at;
            while (at < text.size() &&
                (isalnum(static_cast<unsigned char>(text[at])) || nullptr != strchr("._$%", text[at])))
            {
                at++;
            }

            words.push_back(text.substr(begin, at - begin));
        }
        else
        {
            words.push_back(std::string(1, c));
            at++;
        }

        if (std::string::npos == at)
        {
            break;
        }
    }

    return words;
}

/* The size of a type such as .u32; 0: not a type. */
size_t type_size(const std::string &word)
{
    if (word.size() < 3 || '.' != word[0] || nullptr == strchr("usfb", word[1]) || word == ".f16x2")
    {
        return 0;
    }

    char *end;
    const long bits = strtol(word.c_str() + 2, &end, 10);
    return 0 == *end && (8 == bits || 16 == bits || 32 == bits || 64 == bits || 128 == bits) ? bits / 8 : 0;
}

class Parser
{
public:
    Parser(const std::string &text, Ptx &ptx) : words(split(text)), ptx(ptx)
    {
    }

    bool parse(std::string &error)
    {
        while (at < words.size())
        {
            const std::string word = words[at];
            if (!statement(word))
            {
                error = "malformed at '" + word + "'";
                return false;
            }
        }

        if (0 == ptx.version || 0 == ptx.target)
        {
            error = "no .version or .target";
            return false;
        }

        return true;
    }

private:
    bool statement(const std::string &word)
    {
        at++;
        if (".version" == word)
        {
            return version();
        }

        if (".target" == word)
        {
            return target();
        }

        if (".entry" == word)
        {
            return entry();
        }

        if (".global" == word || ".const" == word)
        {
            return variable();
        }

        if (".visible" == word || ".extern" == word)
        {
            linkage = word;
            return true;
        }

        if (";" == word)
        {
            linkage.clear();
        }

        return "{" != word || skip_body();
    }

    bool version()
    {
        if (at >= words.size())
        {
            return false;
        }

        const std::string &number = words[at++];
        const size_t dot = number.find('.');
        if (std::string::npos == dot)
        {
            return false;
        }

        ptx.version = atoi(number.c_str()) * 10 + atoi(number.c_str() + dot + 1);
        return ptx.version > 0;
    }

    bool target()
    {
        if (at >= words.size() || (0 != words[at].compare(0, 3, "sm_")))
        {
            return false;
        }

        ptx.target = atoi(words[at++].c_str() + 3);
        return ptx.target > 0;
    }

    bool entry()
    {
        if (at >= words.size())
        {
            return false;
        }

        PtxEntry result{words[at++], {}, 0};
        if (at < words.size() && "(" == words[at])
        {
            at++;
            while (at < words.size() && ")" != words[at])
            {
                if (!parameter(result))
                {
                    return false;
                }
            }

            at++;
        }

        while (at < words.size() && "{" != words[at])
        {
            if (".maxntid" == words[at])
            {
                at++;
                result.max_threads = dimensions();
            }
            else
            {
                at++;
            }
        }

        if (at >= words.size())
        {
            return false;
        }

        at++;
        linkage.clear();
        ptx.entries.push_back(result);
        return skip_body();
    }

    unsigned dimensions()
    {
        unsigned product = 1;
        while (at < words.size() && isdigit(static_cast<unsigned char>(words[at][0])))
        {
            product *= static_cast<unsigned>(strtoul(words[at++].c_str(), nullptr, 0));
            if (at < words.size() && "," == words[at])
            {
                at++;
            }
        }

        return product;
    }

    /* .param .align 8 .b8 name[24], or .param .u64 .ptr .global .align 4 name */
    bool parameter(PtxEntry &entry)
    {
        if (".param" != words[at])
        {
            return false;
        }

        size_t size = 0;
        size_t alignment = 0;
        size_t count = 1;
        bool pointer = false;
        for (at++; at < words.size() && "," != words[at] && ")" != words[at]; at++)
        {
            if (".align" == words[at] && at + 1 < words.size())
            {
                const size_t value = strtoul(words[++at].c_str(), nullptr, 0);
                /* Behind .ptr it is what the pointer points to that is aligned. */
                alignment = pointer ? alignment : value;
            }
            else if (".ptr" == words[at])
            {
                pointer = true;
            }
            else if ("[" == words[at] && at + 1 < words.size())
            {
                count = strtoul(words[++at].c_str(), nullptr, 0);
            }
            else if (0 == size)
            {
                size = type_size(words[at]);
            }
        }

        if (at < words.size() && "," == words[at])
        {
            at++;
        }

        entry.parameters.push_back({size * count, 0 == alignment ? size : alignment});
        return size > 0;
    }

    /* .align 8 .b8 name[40] = {1, 2}; or .u32 name = 5; */
    bool variable()
    {
        size_t size = 0;
        size_t count = 1;
        std::string name;
        std::vector<uint64_t> values;
        for (; at < words.size() && ";" != words[at]; at++)
        {
            if (".align" == words[at])
            {
                at++;
            }
            else if ("[" == words[at])
            {
                at++;
                count = at < words.size() ? strtoul(words[at].c_str(), nullptr, 0) : 0;
            }
            else if ("=" == words[at])
            {
                initial_values(values);
                break;
            }
            else if (0 != type_size(words[at]))
            {
                size = type_size(words[at]);
            }
            else if ('.' != words[at][0] && "]" != words[at])
            {
                name = words[at];
            }
        }

        if (0 == size || name.empty() || at >= words.size())
        {
            return false;
        }

        at++;
        std::vector<uint8_t> initial(size * count);
        for (size_t i = 0; i < values.size() && i < count; i++)
        {
            memcpy(initial.data() + i * size, &values[i], size < 8 ? size : 8);
        }

        if (".extern" != linkage)
        {
            ptx.variables.push_back({name, size * count, initial, ".visible" == linkage});
        }

        linkage.clear();
        return true;
    }

    void initial_values(std::vector<uint64_t> &values)
    {
        bool negative = false;
        for (at++; at < words.size() && ";" != words[at]; at++)
        {
            const std::string &word = words[at];
            if ("-" == word)
            {
                negative = true;
            }
            else if (isdigit(static_cast<unsigned char>(word[0])))
            {
                const bool bits = word.size() > 2 && '0' == word[0] && nullptr != strchr("fFdD", word[1]);
                const uint64_t value = bits ?
                    strtoull(word.c_str() + 2, nullptr, 16) : strtoull(word.c_str(), nullptr, 0);
                values.push_back(negative ? 0 - value : value);
                negative = false;
            }
        }
    }

    /* Behind the brace that closes the body. */
    bool skip_body()
    {
        for (int depth = 1; at < words.size(); at++)
        {
            depth += "{" == words[at] ? 1 : "}" == words[at] ? -1 : 0;
            if (0 == depth)
            {
                at++;
                return true;
            }
        }

        return false;
    }

    const std::vector<std::string> words;
    Ptx &ptx;
    size_t at = 0;
    /* .visible or .extern if it stands before the declaration that comes next. */
    std::string linkage;
};

}

bool parse_ptx(const std::string &text, Ptx &ptx, std::string &error)
{
    return Parser(text, ptx).parse(error);
}

}
