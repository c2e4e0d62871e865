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

import java.util.Objects;

/**
 * Why a job failed: the first cause that any of its processes reported. Every wait of every PE ends with it.
 *
 * @param kind    what happened.
 * @param pe      the world PE it happened to, or -1 where no PE is concerned.
 * @param status  exit status for {@link Kind#GLOBAL_EXIT}; otherwise an exit code where one is known, or -1.
 * @param message what is known, for people; at most {@link #MAX_MESSAGE_LENGTH} bytes of UTF-8, cut at a character
 *                border where it is longer.
 */
public record JobFailure(Kind kind, int pe, int status, String message)
{
    /**
     * The most bytes of UTF-8 that a message keeps.
     */
    public static final int MAX_MESSAGE_LENGTH = ControlDescriptor.FAILURE_MESSAGE_CAPACITY;

    private static final int MAX_EXIT_CODE = 0xFF;

    /**
     * What happened.
     */
    public enum Kind
    {
        /**
         * The process of a PE ended, or was ended, without leaving the job.
         */
        PE_DIED,

        /**
         * A PE gave up by itself and said why.
         */
        PE_FAILED,

        /**
         * The media driver of this host ended or does not answer.
         */
        DRIVER_DIED,

        /**
         * The creator of the job (the launcher, as a rule) ended.
         */
        LAUNCHER_DIED,

        /**
         * A PE asked for the end of the whole job.
         */
        GLOBAL_EXIT,

        /**
         * What came from a peer cannot be: a malformed record, a gap, a lost image.
         */
        PROTOCOL,

        /**
         * PEs made collective calls that do not match.
         */
        MISMATCH;

        private static final Kind[] KINDS = values();

        /**
         * The kind behind a number.
         *
         * @param code from {@link #code()}.
         * @return the kind; {@link #PROTOCOL} for a number that is none.
         */
        public static Kind ofCode(final int code)
        {
            return code >= 0 && code < KINDS.length ? KINDS[code] : PROTOCOL;
        }

        /**
         * The number of this kind in files and messages.
         *
         * @return 0 to 6.
         */
        public int code()
        {
            return ordinal();
        }
    }

    /**
     * The exit code that says a status. Linux keeps the low eight bits of what a process exits with, so that 256 would
     * look like success: a status of which they are all 0, but which is not 0, becomes 1.
     *
     * @param status as given to a global exit.
     * @return 0 to 255; 0 for 0 only.
     */
    public static int exitCode(final int status)
    {
        final int code = status & MAX_EXIT_CODE;
        return 0 == code && 0 != status ? 1 : code;
    }

    /**
     * The death of a PE, with everything that the control file knows of it: process and host, whether its JVM ended
     * by itself, when it was last heard, and where its log is.
     *
     * @param control of the job.
     * @param pe      world PE.
     * @param status  exit code of its process, or -1.
     * @param how     what was seen, such as "it was ended by signal 9".
     * @return the failure.
     */
    public static JobFailure peDied(final Control control, final int pe, final int status, final String how)
    {
        final long pid = control.pid(pe);
        if (0 == pid)
        {
            return new JobFailure(Kind.PE_DIED, pe, status, "PE " + pe + " died before it joined: " + how);
        }

        final String log = control.log(pe);
        return new JobFailure(Kind.PE_DIED, pe, status,
            "PE " + pe + " (pid " + pid + ", host " + control.hostName(pe) + ") " +
            (control.isEnding(pe) ? "ended without closing: " : "died: ") + how +
            "; last heard " + Math.max(0, System.currentTimeMillis() - control.heartbeat(pe)) + " ms ago" +
            (log.isEmpty() ? "" : "; its log: " + log));
    }

    /**
     * Checks the kind and bounds the message.
     *
     * @param kind    what happened; not null.
     * @param pe      the world PE it happened to, or -1.
     * @param status  exit status or code, or -1.
     * @param message what is known; cut where it is too long, empty for null.
     */
    public JobFailure
    {
        Objects.requireNonNull(kind, "kind");
        message = BoundedText.cut(message, MAX_MESSAGE_LENGTH);
    }
}
