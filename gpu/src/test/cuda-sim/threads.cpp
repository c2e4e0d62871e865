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
#include "threads.h"

#include "settings.h"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <pthread.h>

namespace cuda_sim
{

namespace
{

constexpr size_t STACK_BYTES = 512 * 1024;
constexpr std::chrono::milliseconds IDLE(200);

/* The tasks of one call of run_together that have not ended. */
struct Group
{
    std::mutex lock;
    std::condition_variable ended;
    size_t running;
};

struct Task
{
    std::function<void()> body;
    Group *group;
};

/* A thread that waits for its next task, and ends when none comes for a while. */
struct Worker
{
    std::mutex lock;
    std::condition_variable given;
    Task task;
};

std::mutex idle_lock;

std::vector<Worker *> &idle_workers()
{
    static std::vector<Worker *> *instance = new std::vector<Worker *>();
    return *instance;
}

/* Whether the worker was idle, so that nobody else will give it a task. */
bool retire(Worker *worker)
{
    const std::lock_guard<std::mutex> guard(idle_lock);
    std::vector<Worker *> &idle = idle_workers();
    for (size_t i = 0; i < idle.size(); i++)
    {
        if (idle[i] == worker)
        {
            idle.erase(idle.begin() + static_cast<std::ptrdiff_t>(i));
            return true;
        }
    }

    return false;
}

/* Waits for a task; false: none came, and the worker is not idle any more. */
bool take(Worker *worker, Task &task)
{
    std::unique_lock<std::mutex> guard(worker->lock);
    while (!worker->task.body)
    {
        if (worker->given.wait_for(guard, IDLE) == std::cv_status::timeout && !worker->task.body)
        {
            guard.unlock();
            if (retire(worker))
            {
                return false;
            }

            guard.lock();
        }
    }

    task = std::move(worker->task);
    worker->task = Task();
    return true;
}

void *run_worker(void *argument)
{
    prepare_thread("cuda-sim-kernel");
    const std::unique_ptr<Worker> worker(static_cast<Worker *>(argument));
    Task task;
    while (take(worker.get(), task))
    {
        task.body();
        task.body = nullptr;
        {
            const std::lock_guard<std::mutex> guard(idle_lock);
            idle_workers().push_back(worker.get());
        }

        const std::lock_guard<std::mutex> guard(task.group->lock);
        task.group->running--;
        task.group->ended.notify_all();
    }

    counters().live_threads--;
    return nullptr;
}

void start_worker(Task task)
{
    Worker *worker = new Worker();
    worker->task = std::move(task);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    counters().live_threads++;
    if (0 != pthread_create(&thread, &attributes, run_worker, worker))
    {
        fprintf(stderr, "AeroSHMEM simulated device: cannot create a thread for a kernel\n");
        abort();
    }

    pthread_attr_destroy(&attributes);
}

void start(Task task)
{
    Worker *worker = nullptr;
    {
        const std::lock_guard<std::mutex> guard(idle_lock);
        if (!idle_workers().empty())
        {
            worker = idle_workers().back();
            idle_workers().pop_back();
        }
    }

    if (nullptr == worker)
    {
        start_worker(std::move(task));
        return;
    }

    const std::lock_guard<std::mutex> guard(worker->lock);
    worker->task = std::move(task);
    worker->given.notify_one();
}

}

void run_together(std::vector<std::function<void()>> tasks)
{
    Group group;
    group.running = tasks.size();
    for (std::function<void()> &body : tasks)
    {
        start(Task{std::move(body), &group});
    }

    std::unique_lock<std::mutex> guard(group.lock);
    group.ended.wait(guard, [&] { return 0 == group.running; });
}

void prepare_thread(const char *name)
{
    /* Signals that a thread causes itself cannot be blocked. */
    sigset_t all;
    sigfillset(&all);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    {
        sigdelset(&all, signal);
    }

    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    pthread_setname_np(pthread_self(), name);
}

}
