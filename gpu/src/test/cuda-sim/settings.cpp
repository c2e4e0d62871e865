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
#include "settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cuda_sim
{

namespace
{

const char *text(const char *name, const char *otherwise)
{
    const std::string variable = std::string("AEROSHMEM_CUDA_SIM_") + name;
    const char *value = getenv(variable.c_str());
    return nullptr == value || 0 == *value ? otherwise : value;
}

/* A number with an optional suffix k, m or g. */
int64_t number(const char *name, const int64_t otherwise)
{
    const char *value = text(name, nullptr);
    if (nullptr == value)
    {
        return otherwise;
    }

    char *end;
    const int64_t result = strtoll(value, &end, 10);
    switch (*end)
    {
        case 'k':
        case 'K':
            return result << 10;

        case 'm':
        case 'M':
            return result << 20;

        case 'g':
        case 'G':
            return result << 30;

        default:
            return result;
    }
}

bool flag(const char *name, const bool otherwise)
{
    const char *value = text(name, otherwise ? "on" : "off");
    return 0 == strcmp(value, "on") || 0 == strcmp(value, "1");
}

/* The form of a UUID that nvidia-smi prints. */
std::string uuid_text(const int number)
{
    std::string result = "GPU";
    const std::string uuid = device_uuid(number);
    for (size_t i = 0; i < uuid.size(); i++)
    {
        char hex[4];
        snprintf(hex, sizeof(hex), "%02x", static_cast<unsigned char>(uuid[i]));
        result += 0 == i || 4 == i || 6 == i || 8 == i || 10 == i ? "-" : "";
        result += hex;
    }

    return result;
}

/* The device of an entry of CUDA_VISIBLE_DEVICES, a number or a UUID; -1: none. */
int visible_device(const std::string &entry, const int count)
{
    char *end;
    const long number = strtol(entry.c_str(), &end, 10);
    if (!entry.empty() && 0 == *end)
    {
        return number < count ? static_cast<int>(number) : -1;
    }

    for (int i = 0; i < count; i++)
    {
        if (entry == uuid_text(i))
        {
            return i;
        }
    }

    return -1;
}

/* The devices that CUDA_VISIBLE_DEVICES lists before the first entry that is none; without it all. */
std::vector<int> visible_devices(const int count)
{
    std::vector<int> result;
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    if (nullptr == list)
    {
        for (int i = 0; i < count; i++)
        {
            result.push_back(i);
        }

        return result;
    }

    std::string rest = list;
    while (!rest.empty())
    {
        const size_t end = std::min(rest.find(','), rest.size());
        const int device = visible_device(rest.substr(0, end), count);
        if (device < 0)
        {
            break;
        }

        result.push_back(device);
        rest.erase(0, end + 1);
    }

    return result;
}

Settings *read_settings()
{
    Settings *result = new Settings();
    result->devices = visible_devices(static_cast<int>(number("DEVICES", 1)));
    result->driver_version = static_cast<int>(number("DRIVER_VERSION", 13000));
    result->compute_capability = static_cast<int>(number("COMPUTE_CAPABILITY", 90));
    result->multiprocessors = static_cast<int>(number("MULTIPROCESSORS", 2));
    result->stream_memory_operations = flag("STREAM_MEMORY_OPERATIONS", true);
    result->peer_access = DevicePairs(text("PEER_ACCESS", "on"));
    result->peer_atomics = DevicePairs(text("PEER_ATOMICS", "on"));
    result->mps = flag("MPS", false);
    result->ipc_open = flag("IPC_OPEN", true);
    result->kernels = text("KERNELS", "");
    result->endless = text("ENDLESS", "");
    result->registers = static_cast<unsigned>(number("REGISTERS", 32));
    result->memory = static_cast<uint64_t>(number("MEMORY", 4ll << 30));
    result->ipc = flag("IPC", true);
    result->host_atomics = flag("HOST_NATIVE_ATOMICS", false);
    result->own_host_pointers = flag("OWN_HOST_POINTERS", false);
    result->launches_until_lost = number("LAUNCHES_UNTIL_LOST", -1);
    result->fail_code = 0;
    result->calls_until_failure = 0;
    return result;
}

const std::atomic<int> *count(const int control)
{
    const Counters &all = counters();
    switch (control)
    {
        case CONTROL_HOST_FUNCTION_VIOLATIONS:
            return &all.host_function_violations;

        case CONTROL_LAUNCHES:
            return &all.launches;

        case CONTROL_HOST_ATOMICS:
            return &all.host_atomics;

        case CONTROL_KERNEL_FAULTS:
            return &all.kernel_faults;

        case CONTROL_LIVE_ALLOCATIONS:
            return &all.live_allocations;

        case CONTROL_LIVE_REGISTRATIONS:
            return &all.live_registrations;

        case CONTROL_LIVE_STREAMS:
            return &all.live_streams;

        case CONTROL_LIVE_EVENTS:
            return &all.live_events;

        case CONTROL_LIVE_IMPORTS:
            return &all.live_imports;

        case CONTROL_LIVE_MODULES:
            return &all.live_modules;

        case CONTROL_LIVE_CONTEXTS:
            return &all.live_contexts;

        case CONTROL_LIVE_THREADS:
            return &all.live_threads;

        case CONTROL_STREAM_MEMORY_OPERATIONS:
            return &all.memory_operations;

        default:
            return nullptr;
    }
}

}

DevicePairs::DevicePairs(const std::string &text) : all("on" == text)
{
    int from;
    int to;
    int length;
    for (const char *at = text.c_str(); 2 == sscanf(at, "%d-%d%n", &from, &to, &length); at += ',' == *at)
    {
        pairs.insert({from, to});
        at += length;
    }
}

std::string device_uuid(const int number)
{
    return std::string("AeroSHMEM-sim-0") + static_cast<char>('0' + number);
}

int device_ordinal(const int number)
{
    const std::vector<int> &devices = settings().devices;
    const auto found = std::find(devices.begin(), devices.end(), number);
    return devices.end() == found ? -1 : static_cast<int>(found - devices.begin());
}

Settings &settings()
{
    /* Never destroyed: threads of streams may run until the process ends. */
    static Settings *instance = read_settings();
    return *instance;
}

Counters &counters()
{
    static Counters *instance = new Counters();
    return *instance;
}

bool read_control(const int control, int *value)
{
    const std::atomic<int> *source = count(control);
    if (nullptr == source)
    {
        return false;
    }

    *value = source->load();
    return true;
}

bool write_control(const int control, const uint64_t value)
{
    Settings &all = settings();
    switch (control)
    {
        case CONTROL_SET_MEMORY:
            all.memory = value;
            return true;

        case CONTROL_SET_IPC:
            all.ipc = 0 != value;
            return true;

        case CONTROL_SET_HOST_NATIVE_ATOMICS:
            all.host_atomics = 0 != value;
            return true;

        case CONTROL_SET_OWN_HOST_POINTERS:
            all.own_host_pointers = 0 != value;
            return true;

        case CONTROL_SET_LAUNCHES_UNTIL_LOST:
            all.launches_until_lost = static_cast<int64_t>(value);
            return true;

        case CONTROL_SET_FAIL_CODE:
            all.fail_code = static_cast<int>(value);
            return true;

        case CONTROL_SET_CALLS_UNTIL_FAILURE:
            all.calls_until_failure = static_cast<int64_t>(value);
            return true;

        case CONTROL_SET_REGISTERS:
            all.registers = static_cast<unsigned>(value);
            return true;

        case CONTROL_RESET_COUNTS:
            counters().host_function_violations = 0;
            counters().launches = 0;
            counters().host_atomics = 0;
            counters().kernel_faults = 0;
            counters().memory_operations = 0;
            return true;

        case CONTROL_SET_STREAM_MEMORY_OPERATIONS:
            all.stream_memory_operations = 0 != value;
            return true;

        default:
            return false;
    }
}

}
