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

/*
 * A tool as NVTX's interface has them (nvtx3/nvtxDetail/nvtxTypes.h), which writes a line for each call to the file
 * NVTX_TOOL_LOG: the thread, the call, the domain and the message. With NVTX_TOOL_REFUSE it refuses to be initialised.
 */
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/syscall.h>
#include <unistd.h>

namespace
{

enum
{
    EXPORT_TABLE_CALLBACKS = 1,
    MODULE_CORE2 = 5,
    DOMAIN_RANGE_PUSH = 4,
    DOMAIN_RANGE_POP = 5,
    DOMAIN_CREATE = 12,
    FUNCTIONS = 16,
    MESSAGE_TYPE_ASCII = 1
};

struct ExportTableCallbacks
{
    size_t struct_size;
    int (*GetModuleFunctionTable)(int module, void ****table, unsigned *size);
};

struct EventAttributes
{
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type;
    int32_t reserved;
    uint64_t payload;
    int32_t message_type;
    const char *message;
};

FILE *output;
thread_local int level;

void write_line(const char *call, const void *domain, const char *message)
{
    fprintf(output, "%ld %s %s %s\n", syscall(SYS_gettid), call, static_cast<const char *>(domain), message);
    fflush(output);
}

void *create_domain(const char *name)
{
    return new std::string(name);
}

const char *name_of(void *domain)
{
    return static_cast<std::string *>(domain)->c_str();
}

int push(void *domain, const EventAttributes *attributes)
{
    const bool valid = 3 == attributes->version && sizeof(EventAttributes) == attributes->size &&
        MESSAGE_TYPE_ASCII == attributes->message_type;
    write_line("push", name_of(domain), valid ? attributes->message : "invalid");
    return level++;
}

int pop(void *domain)
{
    write_line("pop", name_of(domain), "");
    return --level;
}

}

extern "C" int InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t))
{
    const char *log = getenv("NVTX_TOOL_LOG");
    output = nullptr == log ? nullptr : fopen(log, "a");
    const auto *callbacks = static_cast<const ExportTableCallbacks *>(get_export_table(EXPORT_TABLE_CALLBACKS));
    if (nullptr == output || nullptr != getenv("NVTX_TOOL_REFUSE") || nullptr == callbacks ||
        callbacks->struct_size < sizeof(*callbacks))
    {
        return 0;
    }

    void ***table = nullptr;
    unsigned size = 0;
    if (!callbacks->GetModuleFunctionTable(MODULE_CORE2, &table, &size) || size < FUNCTIONS)
    {
        return 0;
    }

    *table[DOMAIN_CREATE] = reinterpret_cast<void *>(create_domain);
    *table[DOMAIN_RANGE_PUSH] = reinterpret_cast<void *>(push);
    *table[DOMAIN_RANGE_POP] = reinterpret_cast<void *>(pop);
    return 1;
}
