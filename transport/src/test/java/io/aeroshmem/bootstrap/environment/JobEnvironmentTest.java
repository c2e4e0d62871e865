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
package io.aeroshmem.bootstrap.environment;

import io.aeroshmem.transport.TransportException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JobEnvironmentTest
{
    private static final String SECRET = "0123456789abcdef";
    private static final RendezvousSettings NOTHING = new RendezvousSettings(null, null, null);
    private static final RendezvousSettings WITH_SECRET = new RendezvousSettings(null, SECRET, null);
    private static final RendezvousSettings WITH_PLACE = new RendezvousSettings("node7:7000", SECRET, null);

    /** As mpirun of Open MPI 4.1.4 sets it. */
    private static final Map<String, String> OPEN_MPI = Map.of(
        "OMPI_COMM_WORLD_RANK", "1",
        "OMPI_COMM_WORLD_SIZE", "2",
        "OMPI_COMM_WORLD_LOCAL_SIZE", "2",
        "OMPI_MCA_ess_base_jobid", "1176895489",
        "OMPI_MCA_orte_hnp_uri", "1176895488.0;tcp://192.0.2.2:58901;tcp6://[fd00::2]:48011",
        "OMPI_MCA_orte_precondition_transports", "41970dcea418211a-3d8b7f15f112254c",
        "PMIX_NAMESPACE", "1176895489",
        "PMIX_RANK", "1",
        "PMIX_SERVER_URI41", "1176895488.0;tcp4://127.0.0.1:57167");

    /** As mpiexec of Hydra 4.0.2 sets it. */
    private static final Map<String, String> HYDRA = Map.of(
        "HYDI_CONTROL_FD", "7",
        "MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "node1",
        "MPI_LOCALNRANKS", "2",
        "MPI_LOCALRANKID", "0",
        "PMI_FD", "6",
        "PMI_RANK", "0",
        "PMI_SIZE", "2");

    /** As mpiexec of Hydra 4.0.2 sets it when it is called with -pmi-port. */
    private static final Map<String, String> HYDRA_PORT = Map.of(
        "MPI_LOCALNRANKS", "2",
        "MPI_LOCALRANKID", "0",
        "PMI_ID", "0",
        "PMI_PORT", "node1:42809");

    /** As srun of Slurm 22.05 sets it. */
    private static final Map<String, String> SLURM = Map.ofEntries(
        Map.entry("SLURMD_NODENAME", "node01"),
        Map.entry("SLURM_JOB_ID", "1"),
        Map.entry("SLURM_JOB_NODELIST", "node[00-02]"),
        Map.entry("SLURM_LOCALID", "1"),
        Map.entry("SLURM_NODEID", "0"),
        Map.entry("SLURM_NPROCS", "4"),
        Map.entry("SLURM_NTASKS", "4"),
        Map.entry("SLURM_PROCID", "1"),
        Map.entry("SLURM_STEPID", "3"),
        Map.entry("SLURM_STEP_ID", "3"),
        Map.entry("SLURM_STEP_NODELIST", "node[01-02]"),
        Map.entry("SLURM_STEP_NUM_NODES", "2"),
        Map.entry("SLURM_STEP_NUM_TASKS", "4"),
        Map.entry("SLURM_TASK_PID", "29293"));

    /** As in a batch script. */
    private static final Map<String, String> SLURM_BATCH = Map.of(
        "SLURM_JOB_ID", "3", "SLURM_NTASKS", "2", "SLURM_PROCID", "0", "SLURM_NODEID", "0");

    /** As in a pod of an indexed job. */
    private static final Map<String, String> KUBERNETES = Map.of(
        "HOSTNAME", "shmem-2",
        "JOB_COMPLETION_INDEX", "2",
        "KUBERNETES_SERVICE_HOST", "10.96.0.1",
        "AEROSHMEM_NPES", "3");

    @Test
    void shouldBeAJobOfOneWhereNothingIsSaid()
    {
        final JobEnvironment job = JobEnvironment.detect(Map.of("HOME", "/root", "PMI_RANK", "3"), NOTHING);
        assertEquals(Scheduler.NONE, job.scheduler());
        assertEquals(0, job.pe());
        assertEquals(1, job.nPes());
        assertEquals(Scheduler.NONE, JobEnvironment.detect(SLURM_BATCH, WITH_SECRET).scheduler());
        assertEquals(1, JobEnvironment.detect(Map.of("AEROSHMEM_NPES", "1"), NOTHING).nPes());
    }

    @Test
    void shouldKnowOpenMpi()
    {
        final JobEnvironment job = JobEnvironment.detect(OPEN_MPI, NOTHING);
        assertEquals(new JobEnvironment(Scheduler.OPEN_MPI, 1, 2, "192.0.2.2", 0, "openmpi 1176895489",
            "41970dcea418211a-3d8b7f15f112254c", false), job);
        assertFalse(job.toString().contains("41970dcea418211a"));

        final JobEnvironment elsewhere = JobEnvironment.detect(OPEN_MPI, WITH_PLACE);
        assertEquals("node7", elsewhere.host());
        assertEquals(7000, elsewhere.port());
        assertEquals(SECRET, elsewhere.secret());
    }

    @Test
    void shouldNeedAPlaceWhereOpenMpiDoesNotTellOne()
    {
        final String message = refused(without(OPEN_MPI, "OMPI_MCA_orte_hnp_uri"), WITH_SECRET);
        assertTrue(message.contains("OMPI_MCA_orte_hnp_uri"), message);
        assertTrue(message.contains("-x AEROSHMEM_RENDEZVOUS=host:port"), message);
        assertTrue(message.contains("aeroshmem.rendezvous"), message);
        assertEquals("node7", JobEnvironment.detect(without(OPEN_MPI, "OMPI_MCA_orte_hnp_uri"), WITH_PLACE).host());
    }

    @Test
    void shouldKnowPmi()
    {
        final JobEnvironment job = JobEnvironment.detect(HYDRA, NOTHING);
        assertEquals(new JobEnvironment(Scheduler.PMI, 0, 2, null, 0, "", null, true), job);
        assertFalse(JobEnvironment.detect(with(HYDRA, "MPI_LOCALNRANKS", "1"), NOTHING).isSingleHost());
        assertEquals("node7", JobEnvironment.detect(HYDRA, WITH_PLACE).host());

        final JobEnvironment byPort = JobEnvironment.detect(HYDRA_PORT, NOTHING);
        assertEquals(Scheduler.PMI, byPort.scheduler());
        assertEquals(JobEnvironment.UNKNOWN, byPort.pe());
        assertEquals(new JobEnvironment(Scheduler.PMI, 1, 2, null, 0, "", null, false), byPort.withRank(1, 2));
        final String message = refused(without(HYDRA_PORT, "PMI_ID"), NOTHING);
        assertTrue(message.contains("PMI_ID is not set"), message);
    }

    @Test
    void shouldPreferPmiOfSlurmToItsVariables()
    {
        final Map<String, String> environment = new HashMap<>(SLURM);
        environment.putAll(Map.of("PMI_FD", "13", "PMI_JOBID", "2.0", "PMI_RANK", "1", "PMI_SIZE", "4"));
        assertEquals(Scheduler.PMI, JobEnvironment.detect(environment, NOTHING).scheduler());
        assertFalse(JobEnvironment.detect(environment, NOTHING).isSingleHost());
        environment.put("SLURM_STEP_NUM_NODES", "1");
        assertTrue(JobEnvironment.detect(environment, NOTHING).isSingleHost());
    }

    @Test
    void shouldKnowSlurm()
    {
        final JobEnvironment job = JobEnvironment.detect(SLURM, WITH_SECRET);
        assertEquals(
            new JobEnvironment(Scheduler.SLURM, 1, 4, "node01", 0, "slurm 1.3.0", SECRET, false), job);
        assertNotEquals(
            job.jobKey(), JobEnvironment.detect(with(SLURM, "SLURM_RESTART_COUNT", "1"), WITH_SECRET).jobKey());
        assertEquals(7000, JobEnvironment.detect(SLURM, WITH_PLACE).port());
    }

    @Test
    void shouldLeaveOutTheShellsOfSlurm()
    {
        // of a batch script, and of salloc
        for (final String step : new String[]{"4294967291", "4294967290"})
        {
            final Map<String, String> environment = with(SLURM, "SLURM_STEP_ID", step);
            assertEquals(Scheduler.NONE, JobEnvironment.detect(environment, WITH_SECRET).scheduler());
        }
    }

    @Test
    void shouldKnowKubernetes()
    {
        final JobEnvironment job = JobEnvironment.detect(
            KUBERNETES, new RendezvousSettings("shmem-0.shmem:7000", SECRET, null));
        assertEquals(new JobEnvironment(
            Scheduler.KUBERNETES, 2, 3, "shmem-0.shmem", 7000, "meets at shmem-0.shmem:7000", SECRET, false), job);

        final String message = refused(KUBERNETES, WITH_SECRET);
        assertTrue(message.contains("AEROSHMEM_RENDEZVOUS=name:port"), message);
        assertTrue(refused(without(KUBERNETES, "AEROSHMEM_NPES"), WITH_PLACE).contains("AEROSHMEM_NPES"));
    }

    @Test
    void shouldKnowAnySchedulerByOurOwnVariablesBeforeAllOthers()
    {
        final Map<String, String> environment = new HashMap<>(OPEN_MPI);
        environment.putAll(SLURM);
        environment.putAll(HYDRA);
        environment.putAll(KUBERNETES);
        environment.putAll(Map.of("AEROSHMEM_PE", "3", "AEROSHMEM_NPES", "5"));
        assertEquals(new JobEnvironment(Scheduler.ANY, 3, 5, "node7", 7000, "meets at node7:7000", SECRET, false),
            JobEnvironment.detect(environment, WITH_PLACE));

        environment.put("AEROSHMEM_UNIQUE_ID", "00ff");
        assertEquals(new JobEnvironment(Scheduler.UNIQUE_ID, 3, 5, null, 0, "", "00ff", false),
            JobEnvironment.detect(environment, NOTHING));

        environment.put("AEROSHMEM_JOB_DIR", "/dev/shm/aeroshmem-0/1");
        assertEquals(Scheduler.LAUNCHER, JobEnvironment.detect(environment, NOTHING).scheduler());
    }

    @Test
    void shouldPreferPmiToOpenMpiToSlurmToKubernetes()
    {
        final Map<String, String> environment = new HashMap<>(SLURM);
        environment.putAll(without(KUBERNETES, "AEROSHMEM_NPES"));
        assertEquals(Scheduler.SLURM, JobEnvironment.detect(environment, WITH_SECRET).scheduler());
        environment.putAll(OPEN_MPI);
        assertEquals(Scheduler.OPEN_MPI, JobEnvironment.detect(environment, WITH_SECRET).scheduler());
        environment.putAll(HYDRA);
        assertEquals(Scheduler.PMI, JobEnvironment.detect(environment, WITH_SECRET).scheduler());
    }

    @Test
    void shouldNeedNothingElseForAJobOfOne()
    {
        assertEquals(1, JobEnvironment.detect(
            Map.of("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "1"), NOTHING).nPes());
        assertEquals(1, JobEnvironment.detect(
            Map.of("SLURM_PROCID", "0", "SLURM_STEP_NUM_TASKS", "1", "SLURM_STEP_ID", "0"), NOTHING).nPes());
        assertEquals(1, JobEnvironment.detect(
            Map.of("AEROSHMEM_PE", "0", "AEROSHMEM_NPES", "1"), NOTHING).nPes());
        assertEquals(1, JobEnvironment.detect(
            Map.of("JOB_COMPLETION_INDEX", "0", "AEROSHMEM_NPES", "1"), NOTHING).nPes());
    }

    @ParameterizedTest
    @CsvSource({
        "AEROSHMEM_PE,            AEROSHMEM_NPES",
        "OMPI_COMM_WORLD_RANK,    OMPI_COMM_WORLD_SIZE",
        "JOB_COMPLETION_INDEX,    AEROSHMEM_NPES",
        "PMI_RANK,                PMI_SIZE"})
    void shouldRefuseRanksAndSizesThatCannotBe(final String rank, final String size)
    {
        final Map<String, String> environment = new HashMap<>();
        if (rank.startsWith("PMI"))
        {
            environment.put("PMI_FD", "6");
        }

        environment.put(rank, "0");
        assertTrue(refused(environment, WITH_PLACE).contains(size + " is not set"), size);

        for (final String wrong : new String[]{"0", "-1", "many", "3.0", "99999999999"})
        {
            environment.put(size, wrong);
            final String message = refused(environment, WITH_PLACE);
            assertTrue(message.contains(size + " must be a number from 1 to 2147483647: " + size + "=" + wrong),
                message);
        }

        environment.put(size, "4");
        for (final String wrong : new String[]{"4", "-1", "first", "0x1", "99999999999"})
        {
            environment.put(rank, wrong);
            final String message = refused(environment, WITH_PLACE);
            assertTrue(message.contains(rank + " must be a number from 0 to 3: " + rank + "=" + wrong), message);
        }
    }

    @Test
    void shouldRefuseASizeWithoutARank()
    {
        final String message = refused(Map.of("AEROSHMEM_NPES", "4"), WITH_PLACE);
        assertTrue(message.contains("AEROSHMEM_NPES=4") && message.contains("AEROSHMEM_PE"), message);
        assertTrue(refused(Map.of(), WITH_PLACE).startsWith("property aeroshmem.rendezvous is set"));
        assertTrue(refused(Map.of("AEROSHMEM_UNIQUE_ID", "00"), NOTHING).contains("AEROSHMEM_UNIQUE_ID is set"));
    }

    @Test
    void shouldRefuseASizeOfOursThatIsNotTheSchedulers()
    {
        final String message = refused(with(OPEN_MPI, "AEROSHMEM_NPES", "3"), NOTHING);
        assertTrue(message.contains("AEROSHMEM_NPES=3") && message.contains("must be 2"), message);
        assertEquals(2, JobEnvironment.detect(with(OPEN_MPI, "AEROSHMEM_NPES", "2"), NOTHING).nPes());
    }

    @Test
    void shouldNeedASecretThatIsLongEnough()
    {
        final RendezvousSettings noSecret = new RendezvousSettings("node7", null, null);
        final RendezvousSettings shortSecret = new RendezvousSettings("node7", "hunter2", null);
        for (final Map<String, String> environment : List.of(
            SLURM,
            KUBERNETES,
            Map.of("AEROSHMEM_PE", "0", "AEROSHMEM_NPES", "2"),
            without(OPEN_MPI, "OMPI_MCA_orte_precondition_transports")))
        {
            final String message = refused(environment, noSecret);
            assertTrue(message.contains("AEROSHMEM_RENDEZVOUS_SECRET (property aeroshmem.rendezvous.secret)"), message);
            assertTrue(refused(environment, shortSecret).contains("of 7 characters"));
            assertFalse(refused(environment, shortSecret).contains("hunter2"));
        }

        assertFalse(shortSecret.toString().contains("hunter2"));
    }

    @Test
    void shouldNameWhatSlurmLeavesOut()
    {
        for (final String variable : new String[]{"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_STEP_NODELIST"})
        {
            assertTrue(refused(without(SLURM, variable), WITH_SECRET).contains(variable + " is not set"), variable);
        }
    }

    private static String refused(final Map<String, String> environment, final RendezvousSettings settings)
    {
        return assertThrows(TransportException.class, () -> JobEnvironment.detect(environment, settings)).getMessage();
    }

    private static Map<String, String> with(final Map<String, String> map, final String key, final String value)
    {
        final Map<String, String> changed = new HashMap<>(map);
        changed.put(key, value);
        return changed;
    }

    private static Map<String, String> without(final Map<String, String> map, final String key)
    {
        final Map<String, String> changed = new HashMap<>(map);
        changed.remove(key);
        return changed;
    }
}
