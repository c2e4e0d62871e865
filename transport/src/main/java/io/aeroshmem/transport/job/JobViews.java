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
package io.aeroshmem.transport.job;

import io.aeroshmem.transport.TransportException;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Collection of views of this user's running jobs, for viewers. {@link #update()} adds the jobs that have started, and
 * removes those that have ended. Simulated jobs, whose clocks are virtual, are left out. Used by one thread.
 */
public final class JobViews
{
    private final Path root;
    private final String idPrefix;
    private final long uid = PrivateFiles.currentUid();
    private final Map<Path, JobView> views = new TreeMap<>();
    private final Map<Path, String> problems = new TreeMap<>();

    /**
     * @param root     see {@link JobDirectory#defaultRoot()}.
     * @param idPrefix with which the ids of the jobs begin; may be empty.
     */
    public JobViews(final Path root, final String idPrefix)
    {
        this.root = root;
        this.idPrefix = idPrefix;
    }

    public Path root()
    {
        return root;
    }

    /** Opens jobs that have started, and forgets those that have ended, or whose processes are gone. */
    public void update()
    {
        final List<Path> directories = JobCleaner.jobDirectories(root, uid);
        views.keySet().retainAll(directories);
        problems.keySet().retainAll(directories);
        for (final Path directory : directories)
        {
            if (directory.getFileName().toString().startsWith(idPrefix) && !views.containsKey(directory))
            {
                open(directory);
            }
        }

        views.values().removeIf((view) -> !view.isRunning());
    }

    /** A job whose control file is damaged, or is of another version, hides no other. */
    private void open(final Path directory)
    {
        try
        {
            final JobView view = JobView.open(directory, uid);
            if (JobDirectory.SIMULATED != view.control().creatorPe())
            {
                views.put(directory, view);
            }

            problems.remove(directory);
        }
        catch (final NoSuchFileException ex)
        {
            // it is being created or removed
            problems.remove(directory);
        }
        catch (final IOException | TransportException ex)
        {
            problems.put(directory, ex.getMessage());
        }
    }

    /**
     * Returns why jobs are not among the views, by their directories: their control files cannot be read, for example
     * because they are damaged or of another version.
     */
    public Map<Path, String> problems()
    {
        return problems;
    }

    public boolean isEmpty()
    {
        return views.isEmpty();
    }

    /** Returns the views in the order of their directories. */
    public Collection<JobView> all()
    {
        return views.values();
    }

    /** Returns the states of the jobs now. */
    public List<JobView.Snapshot> snapshots()
    {
        return views.values().stream().map(JobView::snapshot).toList();
    }
}
