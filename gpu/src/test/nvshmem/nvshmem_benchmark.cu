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
 * The counterpart of DeviceBenchmark.java for NVSHMEM: the same kernels, rows, rounds and checks, two PEs on one GPU.
 *
 *   nvshmem_benchmark TABLE SECONDS     TABLE is device_benchmark.txt
 *   nvshmem_benchmark --probe           uses the GPU, and ends with exit code 0 if that works
 *
 * The PEs are two processes that this one forks. They share a page, by which they exchange the unique ID and meet:
 * NVSHMEM has no barrier on the host for PEs that share a GPU without MPS. This process ends them after so many
 * seconds, or as soon as one has failed. gpu/compare-nvshmem.sh compiles and runs it.
 */
#define BENCHMARK_NVSHMEM
#include "../cuda/device_api_benchmark.cu"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace
{

const int N_PES = 2;
const int WARMUP_ROUNDS = 3;
const int ROUNDS = 31;
const word TRIAL_CALLS = 8;
const word CHECKED_CALLS = 5;
const word MAX_CALLS = 100000;
const word ROUND_NS = 2000000;
const int PERIOD = 61;

/** What the processes share; zeros at first. */
struct Shared
{
    std::atomic<int> arrived;
    std::atomic<int> generation;
    nvshmemx_uniqueid_t id;
    word numbers[N_PES];
};

Shared *shared;
int me;

void fail(const std::string &message)
{
    fprintf(stderr, "nvshmem_benchmark: PE %d: %s\n", me, message.c_str());
    fflush(stdout);
    _exit(1);
}

void check(const cudaError_t result, const char *call)
{
    if (cudaSuccess != result)
    {
        fail(std::string(call) + ": " + cudaGetErrorString(result));
    }
}

void sleep_us(const long us)
{
    const timespec time = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&time, nullptr);
}

/** Waits for the other process; no kernel of this one runs. */
void meet()
{
    const int generation = shared->generation.load();
    if (N_PES == shared->arrived.fetch_add(1) + 1)
    {
        shared->arrived.store(0);
        shared->generation.store(generation + 1);
        return;
    }
    while (generation == shared->generation.load())
    {
        sleep_us(20);
    }
}

/** Returns the smaller of the numbers of the processes. */
word minimum(const word number)
{
    shared->numbers[me] = number;
    meet();
    const word result = std::min(shared->numbers[0], shared->numbers[1]);
    meet();
    return result;
}

struct Row
{
    std::string name;
    std::string kernel;
    std::string unit;
    word blocks;
    word threads;
    word size;

    bool is_collective() const
    {
        return "barrier" == kernel || "sum" == kernel;
    }

    word all_threads() const
    {
        return blocks * threads;
    }

    word result_words() const
    {
        return 2 * blocks + all_threads();
    }

    /** Bytes of the object that is written, and of the one that is read. */
    word bytes() const
    {
        if ("put_block" == kernel)
        {
            return blocks * size;
        }
        if ("sum" == kernel)
        {
            return sizeof(float) * size;
        }
        const bool is_array = "add" == kernel || "fetch_add" == kernel;
        return sizeof(word) * (is_array ? std::max<word>(1, size * all_threads()) : 1);
    }

    std::string value(const double ns, const double calls) const
    {
        char text[64];
        if ("us" == unit)
        {
            snprintf(text, sizeof(text), "%.3f us", ns / calls / 1000);
        }
        else if ("GB/s" == unit)
        {
            snprintf(text, sizeof(text), "%.1f GB/s", (double)(blocks * size) * calls / ns);
        }
        else
        {
            snprintf(text, sizeof(text), "%.1f M/s", 1000.0 * (double)all_threads() * calls / ns);
        }
        return text;
    }
};

std::vector<Row> read_rows(const char *path)
{
    std::vector<Row> rows;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);)
    {
        if (line.empty() || '#' == line[0])
        {
            continue;
        }
        std::istringstream fields(line);
        Row row;
        std::string number;
        std::getline(fields, row.name, '|');
        std::getline(fields, row.kernel, '|');
        std::getline(fields, row.unit, '|');
        std::getline(fields, number, '|');
        row.blocks = std::stoull(number);
        std::getline(fields, number, '|');
        row.threads = std::stoull(number);
        std::getline(fields, number, '|');
        row.size = std::stoull(number);
        rows.push_back(row);
    }
    if (rows.empty())
    {
        fail(std::string(path) + " has no rows");
    }
    return rows;
}

const void *kernel_of(const std::string &name)
{
    const struct
    {
        const char *name;
        const void *kernel;
    } kernels[] = {
        {"put_word", (const void *)benchmark_put_word},
        {"put_block", (const void *)benchmark_put_block},
        {"add", (const void *)benchmark_add},
        {"fetch_add", (const void *)benchmark_fetch_add},
        {"barrier", (const void *)benchmark_barrier},
        {"barrier_check", (const void *)benchmark_barrier_check},
        {"sum", (const void *)benchmark_sum},
    };
    for (const auto &entry : kernels)
    {
        if (name == entry.name)
        {
            return entry.kernel;
        }
    }
    fail("there is no kernel " + name);
    return nullptr;
}

/** An element of what a PE sends: small integers, whose sums are exact. */
float element(const word index, const int pe)
{
    return (float)(index % PERIOD) + (float)pe;
}

/** The objects of a row. */
class Measurement
{
public:
    Measurement(const Row &row, const cudaStream_t stream) :
        row_(row), stream_(stream), dest_(allocate(row.bytes())), source_(allocate(row.bytes())),
        results_(allocate(row.result_words() * sizeof(word)))
    {
        std::vector<float> elements(row.bytes() / sizeof(float));
        for (word i = 0; i < elements.size(); i++)
        {
            elements[i] = element(i, me);
        }
        check(cudaMemcpy(source_, elements.data(), row.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
        if (nullptr == nvshmem_ptr(dest_, 1 - me))
        {
            fail("the other PE's memory has no address here");
        }
        meet();
    }

    std::string measure()
    {
        const bool is_active = 0 == me || row_.is_collective();
        word calls = MAX_CALLS;
        if (is_active)
        {
            // The first launch may be slow, and so may its first call.
            launch(row_.kernel, 1);
            const word trial_ns = launch(row_.kernel, TRIAL_CALLS);
            calls = std::max<word>(1, std::min(MAX_CALLS, ROUND_NS * TRIAL_CALLS / trial_ns));
        }
        calls = minimum(calls);
        std::vector<word> times(ROUNDS, 0);
        for (int round = -WARMUP_ROUNDS; is_active && round < ROUNDS; round++)
        {
            times[(size_t)std::max(0, round)] = launch(row_.kernel, calls);
        }
        meet();
        verify(is_active);
        std::sort(times.begin(), times.end());
        return row_.value((double)times[ROUNDS / 2], (double)calls);
    }

    void release()
    {
        meet();
        nvshmem_free(results_);
        nvshmem_free(source_);
        nvshmem_free(dest_);
    }

private:
    const Row row_;
    const cudaStream_t stream_;
    void *const dest_;
    void *const source_;
    void *const results_;

    static void *allocate(const word bytes)
    {
        void *const address = nvshmem_malloc(bytes);
        if (nullptr == address)
        {
            fail("nvshmem_malloc");
        }
        return address;
    }

    /** Launches a kernel and returns how long its calls have taken, in nanoseconds. */
    word launch(const std::string &kernel, word calls)
    {
        word dest = (word)dest_;
        word source = (word)source_;
        word size = row_.size;
        word results = (word)results_;
        word pe = (word)(1 - me);
        void *arguments[] = {&dest, &source, &size, &results, &calls, &pe};
        const dim3 blocks((unsigned)row_.blocks);
        const dim3 threads((unsigned)row_.threads);
        // Where it refuses to launch PEs that share the GPU by MPS, a plain launch serves a block as well.
        static bool is_refused = false;
        if (row_.is_collective() && !is_refused)
        {
            is_refused = 0 != nvshmemx_collective_launch(
                kernel_of(kernel), blocks, threads, arguments, 0, stream_);
        }
        if (!row_.is_collective() || is_refused)
        {
            check(cudaLaunchKernel(kernel_of(kernel), blocks, threads, arguments, 0, stream_), "cudaLaunchKernel");
        }
        cudaError_t state;
        while (cudaErrorNotReady == (state = cudaStreamQuery(stream_)))
        {
            sleep_us(50);
        }
        check(state, kernel.c_str());
        const std::vector<word> times = read<word>(results_, 2 * row_.blocks);
        word begin = times[0];
        word end = times[1];
        for (word i = 1; i < row_.blocks; i++)
        {
            begin = std::min(begin, times[2 * i]);
            end = std::max(end, times[2 * i + 1]);
        }
        return std::max<word>(1, end - begin);
    }

    /** Calls the routine a few times more, and fails if the result is not right. */
    void verify(const bool is_active)
    {
        check(cudaMemset(dest_, 0, row_.bytes()), "cudaMemset");
        check(cudaMemset(results_, 0, row_.result_words() * sizeof(word)), "cudaMemset");
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        meet();
        if (is_active)
        {
            launch("barrier" == row_.kernel ? "barrier_check" : row_.kernel, CHECKED_CALLS);
        }
        meet();
        if (0 == minimum(is_right() ? 1 : 0))
        {
            fail("kernels have transferred other values than they should: " + row_.name);
        }
    }

    bool is_right() const
    {
        if ("sum" == row_.kernel)
        {
            return holds(N_PES, 1);
        }
        if ("barrier" == row_.kernel)
        {
            return 0 == sum_of_threads();
        }
        if (0 == me)
        {
            return "fetch_add" != row_.kernel || fetched() == sum_of_threads();
        }
        if ("put_word" == row_.kernel)
        {
            return CHECKED_CALLS == read<word>(dest_, 1)[0];
        }
        if ("put_block" == row_.kernel)
        {
            return holds(1, 0);
        }
        return CHECKED_CALLS * row_.all_threads() == sum(read<word>(dest_, row_.bytes() / sizeof(word)), 0);
    }

    /** The sum of what the threads must have fetched. */
    word fetched() const
    {
        const word of_word = CHECKED_CALLS * (0 == row_.size ? row_.all_threads() : 1);
        return of_word * (of_word - 1) / 2 * (0 == row_.size ? 1 : row_.all_threads());
    }

    word sum_of_threads() const
    {
        return sum(read<word>(results_, row_.result_words()), 2 * row_.blocks);
    }

    static word sum(const std::vector<word> &words, const word from)
    {
        word result = 0;
        for (word i = from; i < words.size(); i++)
        {
            result += words[i];
        }
        return result;
    }

    /** Returns whether elements are those of PE 0, times a factor, plus an addend. */
    bool holds(const int factor, const int addend) const
    {
        const std::vector<float> elements = read<float>(dest_, row_.bytes() / sizeof(float));
        for (word i = 0; i < elements.size(); i++)
        {
            if (elements[i] != (float)factor * element(i, 0) + (float)addend)
            {
                return false;
            }
        }
        return true;
    }

    template <typename T>
    static std::vector<T> read(const void *const address, const word count)
    {
        std::vector<T> values(count);
        check(cudaMemcpy(values.data(), address, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
        return values;
    }
};

void print(const std::string &name, const std::string &value)
{
    if (0 == me)
    {
        printf("| %s | %s |\n", name.c_str(), value.c_str());
        fflush(stdout);
    }
}

std::string status()
{
    switch (nvshmemx_init_status())
    {
        case NVSHMEM_STATUS_LIMITED_MPG:
            return "LIMITED_MPG";

        case NVSHMEM_STATUS_FULL_MPG:
            return "FULL_MPG";

        case NVSHMEM_STATUS_IS_INITIALIZED:
            return "INITIALIZED";

        default:
            return "not initialised";
    }
}

/** A PE. */
void run(const char *table)
{
    check(cudaSetDevice(0), "cudaSetDevice");
    nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
    if (0 == me)
    {
        nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
        if (0 != nvshmemx_get_uniqueid(&id))
        {
            fail("nvshmemx_get_uniqueid");
        }
        shared->id = id;
    }
    meet();
    nvshmemx_uniqueid_t id = shared->id;
    nvshmemx_set_attr_uniqueid_args(me, N_PES, &id, &attributes);
    if (0 != nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes))
    {
        fail("nvshmemx_init_attr");
    }
    cudaStream_t stream;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    bool is_first = true;
    for (const Row &row : read_rows(table))
    {
        Measurement measurement(row, stream);
        if (is_first)
        {
            print("status", status());
            is_first = false;
        }
        print(row.name, measurement.measure());
        measurement.release();
    }
    check(cudaStreamDestroy(stream), "cudaStreamDestroy");
    nvshmem_finalize();
}

}

int main(const int argc, char **argv)
{
    if (2 == argc && std::string("--probe") == argv[1])
    {
        return cudaSuccess == cudaFree(nullptr) ? 0 : 1;
    }
    if (3 != argc || atoi(argv[2]) <= 0)
    {
        fprintf(stderr, "nvshmem_benchmark: the arguments must be: TABLE SECONDS\n");
        return 2;
    }
    // One node, no network: the processes meet on the loopback interface. What the caller has set stays.
    setenv("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "lo", 0);
    setenv("NVSHMEM_REMOTE_TRANSPORT", "none", 0);
    void *const page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (MAP_FAILED == page)
    {
        perror("mmap");
        return 1;
    }
    shared = static_cast<Shared *>(page);
    pid_t pes[N_PES];
    for (int pe = 0; pe < N_PES; pe++)
    {
        pes[pe] = fork();
        if (0 == pes[pe])
        {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            me = pe;
            run(argv[1]);
            return 0;
        }
        if (pes[pe] < 0)
        {
            perror("fork");
            return 1;
        }
    }
    const time_t deadline = time(nullptr) + atoi(argv[2]);
    int running = N_PES;
    int result = 0;
    while (running > 0 && 0 == result)
    {
        int ended = 0;
        if (waitpid(-1, &ended, WNOHANG) > 0)
        {
            running--;
            result = WIFEXITED(ended) ? WEXITSTATUS(ended) : 1;
        }
        else if (time(nullptr) > deadline)
        {
            fprintf(stderr, "nvshmem_benchmark: not complete after %s s\n", argv[2]);
            result = 3;
        }
        else
        {
            sleep_us(10000);
        }
    }
    // Only those that have not been waited for are left.
    for (int pe = 0; pe < N_PES && running > 0; pe++)
    {
        if (0 == waitpid(pes[pe], nullptr, WNOHANG))
        {
            kill(pes[pe], SIGKILL);
            waitpid(pes[pe], nullptr, 0);
        }
    }
    return result;
}
