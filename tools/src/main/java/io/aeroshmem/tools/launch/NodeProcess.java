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
package io.aeroshmem.tools.launch;

/**
 * The process that runs the PEs of one node: the launcher there, or what leads to it.
 *
 * @param node     and its PEs.
 * @param process  on this host.
 * @param errors   what it prints as errors.
 * @param isRemote whether it leads to another host.
 */
record NodeProcess(HostList.Node node, ChildProcess process, NodeErrors errors, boolean isRemote)
{
    /** What ssh ends with where it fails itself. */
    private static final int CONNECTION_LOST = 255;

    /** What a shell ends with where there is no such command. */
    private static final int NOT_FOUND = 127;

    /**
     * The exit code of an ended process.
     *
     * @return 128 plus the signal's number where a signal ended it.
     */
    int exitCode()
    {
        return process.exitCode();
    }

    /**
     * Whether a process that ended with this exit code may have been the way to another host rather than a PE there.
     *
     * @param status that a PE is known to have ended with, or -1.
     * @return true if the way is cut, unless that is what the PE ended with.
     */
    boolean isCut(final int status)
    {
        return isRemote && CONNECTION_LOST == exitCode() && CONNECTION_LOST != status;
    }

    /**
     * Why the PEs were not started.
     *
     * @return one line.
     */
    String startFailure()
    {
        final String complaint = errors.complaint();
        final String end = ChildProcess.describe(exitCode());
        return "cannot start " + node.peText() + " on " + node.host() + ": " +
            (complaint.isEmpty() ? "what was to do it " + end : complaint) +
            (isRemote && NOT_FOUND == exitCode() ? " (--remote gives the path of the script there)" : "");
    }

    /**
     * That the launcher of the node is gone.
     *
     * @return one line.
     */
    String loss()
    {
        return "lost " + node.peText() + " on " + node.host() + ": the way there " +
            ChildProcess.describe(exitCode());
    }
}
