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
package io.aeroshmem.gpu.ptx;

import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import java.io.PrintWriter;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/**
 * Runs the tests of a class, but for exhaustive ones. The exit status is 0 if some pass and none fails.
 */
final class TestRunner
{
    static final String STARTED = "tests of ";

    private TestRunner()
    {
    }

    public static void main(final String[] args)
    {
        System.out.println(STARTED + args[0]);
        final Launcher launcher = LauncherFactory.create();
        final SummaryGeneratingListener listener = new SummaryGeneratingListener();
        launcher.execute(
            LauncherDiscoveryRequestBuilder.request().selectors(selectClass(args[0]))
                .filters(TagFilter.excludeTags("exhaustive")).build(), listener);
        final TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out, true), 0);
        System.out.println(args[0] + ": " + summary.getTestsSucceededCount() + " of " + summary.getTestsFoundCount());
        System.exit(summary.getTestsSucceededCount() > 0 && 0 == summary.getTotalFailureCount() ? 0 : 1);
    }
}
