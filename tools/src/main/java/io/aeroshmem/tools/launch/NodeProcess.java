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
 * Process on this host through which the PEs of one node run: a node launcher, or the remote shell that runs a node
 * launcher on another host.
 *
 * @param node     the node and its PEs.
 * @param process  the process on this host.
 * @param stderr   its standard error.
 * @param isRemote whether it is a remote shell to another host.
 */
record NodeProcess(ChildProcess process, NodeStderr stderr, boolean isRemote)
{
    /** Returns the end of the ended process, which had these PEs. */
    NodeEnd end(final HostList.Node node)
    {
        return new NodeEnd(
            node, isRemote, process.exitCode(), stderr.isJoined(), stderr.isEnded(), stderr.diagnostics());
    }
}
