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
 * Failure of a job, as a process reports it. The first failure that any process reports is the cause: every wait of
 * every PE ends with it.
 *
 * @param kind    what happened.
 * @param pe      number of the PE to which the failure is attributed; for {@link Kind#DRIVER_DIED} that of the PE that
 *                reports it; -1 if no PE is known.
 * @param status  exit status for {@link Kind#GLOBAL_EXIT}; 0 for {@link Kind#RECOVERY_REQUESTED} by a command;
 *                otherwise an exit code if known, or -1.
 * @param message description for people, truncated to {@link #MAX_MESSAGE_LENGTH} bytes of UTF-8.
 */
public record JobFailure(Kind kind, int pe, int status, String message)
{
    /** Maximum length of a message in bytes of UTF-8. */
    public static final int MAX_MESSAGE_LENGTH = ControlDescriptor.FAILURE_MESSAGE_CAPACITY;

    private static final int MAX_EXIT_CODE = 0xFF;

    /**
     * The kinds of failures.
     */
    public enum Kind
    {
        /** The process of a PE ended, or was ended, without leaving the job. */
        PE_DIED,

        /** A PE failed the job and gave the reason. */
        PE_FAILED,

        /** The media driver of this host ended or does not respond. */
        DRIVER_DIED,

        /** The creator of the job, usually the launcher, ended. */
        LAUNCHER_DIED,

        /** A PE requested the end of the whole job. */
        GLOBAL_EXIT,

        /** A peer violated the protocol: a malformed record, a gap, a lost image. */
        PROTOCOL,

        /** PEs made collective calls that do not match. */
        MISMATCH,

        /** A PE ended this generation of the job on purpose: the next one follows. */
        RECOVERY_REQUESTED,

        /** The launcher of a recoverable job has lost a host, or the launcher of its PEs. */
        HOST_LOST;

        private static final Kind[] KINDS = values();

        /** Returns the kind of a {@link #code()}; {@link #PROTOCOL} for an unknown one. */
        public static Kind ofCode(final int code)
        {
            return code >= 0 && code < KINDS.length ? KINDS[code] : PROTOCOL;
        }

        /** Returns the number of this kind in files and messages, 0 to 8. */
        public int code()
        {
            return ordinal();
        }
    }

    /** Returns the end of a generation by a command to the launcher; {@code pe} may be -1. */
    public static JobFailure commanded(final int pe, final String message)
    {
        return new JobFailure(Kind.RECOVERY_REQUESTED, pe, 0, message);
    }

    /** Returns whether a command has ended the generation: it has not failed. */
    public boolean isCommanded()
    {
        return Kind.RECOVERY_REQUESTED == kind && 0 == status;
    }

    /** Returns whether no other generation of a recoverable job follows: its launcher or a global exit has ended it. */
    public boolean endsJob()
    {
        return Kind.LAUNCHER_DIED == kind || Kind.GLOBAL_EXIT == kind;
    }

    /**
     * Returns the exit code for the status of a global exit, 0 to 255. Linux keeps the low eight bits of an exit code,
     * so that 256 would look like success: a nonzero status whose low eight bits are all 0 becomes 1.
     */
    public static int exitCode(final int status)
    {
        final int code = status & MAX_EXIT_CODE;
        return 0 == code && 0 != status ? 1 : code;
    }

    /**
     * Returns the failure for the death of a PE, with what the control file knows of it: process and host, whether its
     * JVM ended by itself, its last heartbeat, and the location of its log. {@code status} is the exit code of its
     * process or -1, {@code how} the observation, such as "it was ended by signal 9".
     */
    public static JobFailure peDied(final ControlFile control, final int pe, final int status, final String how)
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
            "; last activity " + Math.max(0, control.time() - control.heartbeat(pe)) + " ms ago" +
            (log.isEmpty() ? "" : "; its log: " + log));
    }

    /** Validates the kind and truncates the message; null becomes empty. */
    public JobFailure
    {
        Objects.requireNonNull(kind, "kind");
        message = BoundedText.cut(message, MAX_MESSAGE_LENGTH);
    }
}
