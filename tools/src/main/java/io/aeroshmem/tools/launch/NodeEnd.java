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

import io.aeroshmem.tools.exit.ExitCode;

/**
 * End of the process through which the PEs of one node ran.
 *
 * @param node        the node and its PEs.
 * @param isRemote    whether the process was a remote shell to another host.
 * @param exitCode    its exit code: 128 plus the signal's number if a signal ended it.
 * @param isJoined    whether the node launcher had joined the job.
 * @param isOrderly   whether the node launcher had reported its own end.
 * @param diagnostics what it printed before it joined, in one line.
 */
record NodeEnd(
    HostList.Node node, boolean isRemote, int exitCode, boolean isJoined, boolean isOrderly, String diagnostics)
{
    /** Exit code of ssh if ssh itself fails. */
    private static final int CONNECTION_LOST = 255;

    /** Exit code of a shell for an unknown command. */
    private static final int NOT_FOUND = 127;

    /**
     * Returns whether the exit code is that of a lost connection to another host rather than one of a PE there.
     */
    boolean isCut()
    {
        return isRemote && CONNECTION_LOST == exitCode && !isOrderly;
    }

    /** Returns whether the node launcher had joined the job, and did not report the end of its PEs. */
    boolean isLoss()
    {
        return isJoined && !isOrderly && ExitCode.OK != exitCode;
    }

    /** Returns one line on why the PEs were not started. */
    String startFailure()
    {
        final String end = ChildProcess.describe(exitCode);
        return "cannot start " + node.peText() + " on " + node.host() + ": " +
            (diagnostics.isEmpty() ? "the launch command " + end : diagnostics) +
            (isRemote && NOT_FOUND == exitCode ? " (--remote specifies the path of the script there)" : "");
    }

    /** Returns one line on the loss of the node launcher. */
    String loss()
    {
        return "lost " + node.peText() + " on " + node.host() + ": the connection " + ChildProcess.describe(exitCode);
    }
}
