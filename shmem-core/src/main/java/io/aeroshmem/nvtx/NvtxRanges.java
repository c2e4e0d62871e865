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
package io.aeroshmem.nvtx;

/**
 * Shows operations of the library as ranges of NVTX, in the domain {@value #DOMAIN}: what a thread of the host does
 * between the begin and the end of a range, and what the device does that was enqueued meanwhile. Ranges of a thread
 * nest.
 * <p>
 * There are ranges only if a tool, such as Nsight Systems, has set the environment variable {@value #VARIABLE} to its
 * library, on a JVM of version {@value #OLDEST_JVM} or later: earlier ones cannot call a native library without code
 * of one's own. Otherwise the methods do nothing, and the JIT compiler removes them.
 */
public final class NvtxRanges
{
    static final String DOMAIN = "AeroSHMEM";
    static final String VARIABLE = "NVTX_INJECTION64_PATH";
    static final int OLDEST_JVM = 22;

    private static final NvtxTool TOOL = load();

    private NvtxRanges()
    {
    }

    private static NvtxTool load()
    {
        final String path = System.getenv(VARIABLE);
        return null == path || path.isBlank() || Runtime.version().feature() < OLDEST_JVM ?
            null : NvtxTool.loadOrNull(path, DOMAIN);
    }

    /** Returns whether a tool is there. */
    public static boolean isActive()
    {
        return null != TOOL;
    }

    /**
     * Begins a range of the current thread, which will {@link #end} it.
     *
     * @param name of the operation; one of few, as each is kept.
     */
    public static void begin(final String name)
    {
        if (null != TOOL)
        {
            TOOL.push(name);
        }
    }

    /** Ends the last range of the current thread. */
    public static void end()
    {
        if (null != TOOL)
        {
            TOOL.pop();
        }
    }
}
