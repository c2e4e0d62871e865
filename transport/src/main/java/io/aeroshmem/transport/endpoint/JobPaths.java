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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.PathKind;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobView;

import java.util.ArrayList;
import java.util.List;

/**
 * The {@link PathKind} by which each PE of a job reaches every PE, for viewers such as {@code aeroshmem info}. The
 * rules are those by which {@link TransportSelector} chooses paths when the PEs join.
 */
public final class JobPaths
{
    private final JoinRecord[] records;

    private JobPaths(final JoinRecord[] records)
    {
        this.records = records;
    }

    /** Reads the paths of a running job; a PE that has not published its record has none yet. */
    public static JobPaths of(final JobView job)
    {
        final ControlFile control = job.control();
        final JoinRecord[] records = new JoinRecord[control.nPes()];
        for (int pe = 0; pe < records.length; pe++)
        {
            try
            {
                records[pe] = JoinRecord.read(control, pe);
            }
            catch (final TransportException ex)
            {
                // not published yet, or by another version, with which the job fails
                records[pe] = null;
            }
        }

        return new JobPaths(records);
    }

    /** Returns the paths of a job that is not started: one transport for all PEs, and the name of each PE's node. */
    public static JobPaths planned(final TransportMode mode, final List<String> nodes)
    {
        final JoinRecord[] records = new JoinRecord[nodes.size()];
        for (int pe = 0; pe < records.length; pe++)
        {
            final String node = nodes.get(pe);
            records[pe] = new JoinRecord(pe, 0, mode, 0, 0, node, node, "", "", "", 0);
        }

        return new JobPaths(records);
    }

    /** Returns the number of PEs. */
    public int nPes()
    {
        return records.length;
    }

    /** Returns the path by which a PE reaches a peer, or null if one of them has not joined. */
    public PathKind path(final int pe, final int peer)
    {
        return null == records[pe] || null == records[peer] ? null : JoinRecord.path(records[pe], records[peer]);
    }

    /** Returns the paths by which a PE reaches each peer, see {@link #path}. */
    public List<PathKind> paths(final int pe)
    {
        final List<PathKind> paths = new ArrayList<>(records.length);
        for (int peer = 0; peer < records.length; peer++)
        {
            paths.add(path(pe, peer));
        }

        return paths;
    }
}
