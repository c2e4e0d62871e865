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

import org.agrona.BitUtil;
import org.agrona.concurrent.status.CountersReader;

/**
 * Layout of a job's {@code control} file: a header, what ended the previous generation of the job, one cell per PE, one
 * more cell for the creator of the job ({@link JobDirectory}), and the counters of each PE. A cell is a page that one
 * process writes. All offsets are fixed.
 * Integers are in the host's byte order; the file never leaves the host. A word that one process writes while others
 * poll it is at least 128 bytes from the words of other writers (two cache lines, because processors fetch lines in
 * pairs).
 */
final class ControlDescriptor
{
    /** "AEROSHM1" read as a big-endian long; a file in the other byte order does not match. */
    static final long MAGIC = 0x4145524F53484D31L;
    static final int VERSION = 10;

    static final int PREVIOUS_FAILURE_OFFSET = 4096;
    static final int HEADER_LENGTH = 8192;
    static final int CELL_LENGTH = 4096;

    /** The most PEs of a job. */
    static final int MAX_PES = 1 << 16;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = 8;
    static final int N_PES_OFFSET = 12;
    static final int TOKEN_OFFSET = 16;
    static final int CREATOR_PID_OFFSET = 24;
    static final int CREATOR_START_TIME_OFFSET = 32;
    static final int CREATED_OFFSET = 40;
    static final int FILE_LENGTH_OFFSET = 48;
    static final int CREATOR_PE_OFFSET = 56;
    static final int GENERATION_OFFSET = 60;
    static final int FIRST_N_PES_OFFSET = 64;
    static final int FAILURE_WORD_OFFSET = 128;
    static final int DRIVER_STATE_OFFSET = 256;
    static final int DRIVER_MESSAGE_LENGTH_OFFSET = 384;
    static final int SUCCESSOR_STATE_OFFSET = 512;
    static final int SUCCESSOR_LENGTH_OFFSET = 640;
    static final int SUCCESSOR_OFFSET = 1024;
    static final int SUCCESSOR_CAPACITY = 1024;
    static final int DRIVER_MESSAGE_OFFSET = 2048;
    static final int DRIVER_MESSAGE_CAPACITY = 2048;

    static final int PHASE_OFFSET = 0;
    static final int ENDING_OFFSET = 8;
    static final int HEARTBEAT_OFFSET = 128;
    static final int ACTIVITY_VERSION_OFFSET = 136;
    static final int ACTIVITY_SINCE_OFFSET = 144;
    static final int ACTIVITY_SEEN_OFFSET = 152;
    static final int ACTIVITY_TEAM_OFFSET = 160;
    static final int ACTIVITY_NUMBER_OFFSET = 168;
    static final int ACTIVITY_SIGNATURE_OFFSET = 176;
    static final int ACTIVITY_FLAGS_OFFSET = 184;
    static final int ACTIVITY_TEXT_LENGTH_OFFSET = 188;
    static final int ACTIVITY_TEXT_OFFSET = 192;
    static final int ACTIVITY_TEXT_CAPACITY = 64;
    static final int PID_OFFSET = 256;
    static final int START_TIME_OFFSET = 264;
    static final int RECORD_LENGTH_OFFSET = 272;
    static final int LOCK_NAME_LENGTH_OFFSET = 276;
    static final int HOST_NAME_LENGTH_OFFSET = 280;
    static final int LOCK_NAME_OFFSET = 288;
    static final int LOCK_NAME_CAPACITY = 64;
    static final int HOST_NAME_OFFSET = 352;
    static final int HOST_NAME_CAPACITY = 128;
    static final int LOST_OFFSET = PREVIOUS_FAILURE_OFFSET + 1024;
    static final int MAX_LOST = 127;
    static final int PREVIOUS_PE_OFFSET = 480;
    static final int MEMORY_OFFSET = 484;
    static final int RECOVERY_TIMES_OFFSET = 512;
    static final int FAILURE_STATE_OFFSET = 768;
    static final int FAILURE_KIND_OFFSET = 772;
    static final int FAILURE_PE_OFFSET = 776;
    static final int FAILURE_STATUS_OFFSET = 780;
    static final int FAILURE_MESSAGE_LENGTH_OFFSET = 784;
    static final int FAILURE_TIME_OFFSET = 792;
    static final int LOG_LENGTH_OFFSET = 896;
    static final int LOG_OFFSET = 900;
    static final int LOG_CAPACITY = 120;
    static final int RECORD_OFFSET = 1024;
    static final int RECORD_CAPACITY = 1024;
    static final int FAILURE_MESSAGE_OFFSET = 2048;
    static final int FAILURE_MESSAGE_CAPACITY = 2048;

    static final int COUNTER_METADATA_LENGTH = PeCounter.values().length * CountersReader.METADATA_LENGTH;
    static final int COUNTER_VALUES_LENGTH = PeCounter.values().length * CountersReader.COUNTER_LENGTH;

    private static final int PAGE_LENGTH = 4096;
    private static final int COUNTERS_LENGTH =
        BitUtil.align(COUNTER_METADATA_LENGTH + COUNTER_VALUES_LENGTH, PAGE_LENGTH);

    /*
     * Numbers in parentheses are lengths in bytes. A word marked "last" is stored last and publishes other words, see
     * ControlFile. The "successor" is the job that the processes join when they initialise again after this job, see
     * SuccessorState.
     *  file     +---------------------------------------------------------------+ 0
     *           | header                                                        |
     *           +---------------------------------------------------------------+ 4096
     *           | failure of the previous generation, where a cell has its own; |
     *           | at 1024 the number of PEs that died (4), and for each its     |
     *           | number (4) and its exit code (4)                              |
     *           +---------------------------------------------------------------+ 8192
     *           | cell of PE 0                                                  |
     *           +---------------------------------------------------------------+ 12288
     *           | ...                                                           |
     *           +---------------------------------------------------------------+ 4096 * (2 + nPes)
     *           | cell of the creator                                           |
     *           +---------------------------------------------------------------+ 4096 * (3 + nPes)
     *           | counters of PE 0                                              |
     *           +---------------------------------------------------------------+ 4096 * (8 + nPes)
     *           | ...                                                           |
     *           +---------------------------------------------------------------+ 4096 * (3 + 6 * nPes)
     *
     *  header   +---------------------------------------------------------------+ 0
     *           | magic (8, last)     | version (4)        | nPes (4)           |
     *           | token (8)           | creator pid (8)    | creator start (8)  |
     *           | created (8)         | file length (8)    | creator PE (4)     |
     *           | generation (4)     | number of PEs of generation 0 (4)        |
     *           +---------------------------------------------------------------+ 128
     *           | failure word (8): 0, or 1 + number of the cell with the cause |
     *           +---------------------------------------------------------------+ 256
     *           | driver state (4)                                              |
     *           +---------------------------------------------------------------+ 384
     *           | driver message length (4)                                     |
     *           +---------------------------------------------------------------+ 512
     *           | successor state (4)                                           |
     *           +---------------------------------------------------------------+ 640
     *           | successor length (4)                                          |
     *           +---------------------------------------------------------------+ 768
     *           | spare                                                         |
     *           +---------------------------------------------------------------+ 1024
     *           | successor (1024): path of its directory, or why there is none |
     *           +---------------------------------------------------------------+ 2048
     *           | driver message (2048)                                         |
     *           +---------------------------------------------------------------+ 4096
     *
     *  cell     +---------------------------------------------------------------+ 0
     *           | phase (4)           | spare (4)          | ending (4)         |
     *           +---------------------------------------------------------------+ 128
     *           | heartbeat (8)                                                 |
     *           +---------------------------------------------------------------+ 136
     *           | activity: version (8), since (8), seen (8), team (8),         |
     *           | number (8), signature (8), flags (4), text length (4),        |
     *           | text (64)                                                     |
     *           +---------------------------------------------------------------+ 256
     *           | pid (8, last)       | start time (8)     | record length (4)  |
     *           | lock name length (4)| host length (4)    | lock name (64)     |
     *           | host name (128)    | previous PE (4)    | memory (4)          |
     *           +---------------------------------------------------------------+ 512
     *           | ends of the phases of the recovery (5 * 8), see RecoveryPhase |
     *           +---------------------------------------------------------------+ 768
     *           | failure state (4)   | kind (4)           | pe (4)             |
     *           | status (4)          | message length (4) | spare (4)          |
     *           | time (8)                                                      |
     *           +---------------------------------------------------------------+ 896
     *           | log length (4)      | log (120)                               |
     *           +---------------------------------------------------------------+ 1024
     *           | join record (1024)                                            |
     *           +---------------------------------------------------------------+ 2048
     *           | failure message (2048)                                        |
     *           +---------------------------------------------------------------+ 4096
     *
     *  counters +---------------------------------------------------------------+ 0
     *           | metadata of a CountersReader: 512 bytes per PeCounter         |
     *           +---------------------------------------------------------------+ 512 * n
     *           | values of a CountersReader: 128 bytes per PeCounter           |
     *           +---------------------------------------------------------------+ 640 * n, up to the next page
     * A PE has six pages, so a job of 4096 PEs has a control file of 96 MiB.
     */
    private ControlDescriptor()
    {
    }

    static int fileLength(final int nPes)
    {
        return countersOffset(nPes, nPes);
    }

    static int cellOffset(final int cell)
    {
        return HEADER_LENGTH + cell * CELL_LENGTH;
    }

    static int countersOffset(final int nPes, final int pe)
    {
        return cellOffset(nPes + 1) + pe * COUNTERS_LENGTH;
    }
}
