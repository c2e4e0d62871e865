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
package io.aeroshmem.lifecycle;

import io.aeroshmem.ProgressMode;
import io.aeroshmem.Recovery;
import io.aeroshmem.Shmem;
import io.aeroshmem.collective.AlgorithmSettings;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.endpoint.Endpoint;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Converts the configuration of a PE ({@link Shmem.Context}) to the configuration of its endpoint
 * ({@link Endpoint.Context}).
 */
public final class EndpointSettings
{
    private EndpointSettings()
    {
    }

    /**
     * Returns the transport's configuration of a PE, without the settings that the library adds: bootstrap, exceptions,
     * listener, system area.
     *
     * @param config     concluded.
     * @param algorithms that it specifies.
     * @return the configuration.
     */
    public static Endpoint.Context of(final Shmem.Context config, final AlgorithmSettings algorithms)
    {
        final Endpoint.Context context = new Endpoint.Context()
            .heapSize(config.heapSize())
            .sparse(config.heapSparse())
            .transport(TransportMode.valueOf(config.transport().name()))
            .agentMode(ProgressMode.AGENT == config.progressMode())
            .waitIdleStrategySupplier(config.waitIdleStrategySupplier())
            .threadFactory(config.threadFactory())
            .aeron(config.aeron())
            .ownsAeronClient(config.ownsAeronClient())
            .aeronDirectoryName(config.aeronDirectoryName())
            .mediaDriverAgentInvoker(config.mediaDriverAgentInvoker())
            .errorHandler(errorHandler(config))
            .operationTimeoutNs(config.operationTimeoutNs())
            .livenessTimeoutNs(config.livenessTimeoutNs())
            .joinTimeoutNs(ShmemProperty.JOIN_TIMEOUT.longValue())
            .termLength((int)ShmemProperty.TERM_LENGTH.longValue())
            .ipcMtu((int)ShmemProperty.IPC_MTU.longValue())
            .udpMtu((int)ShmemProperty.UDP_MTU.longValue())
            .nodeName(config.nodeName())
            .delayed(config.delayedInit())
            .attributes(attributes(config, algorithms))
            .udpInterface(ShmemProperty.UDP_INTERFACE.text())
            .recoverable(
                Recovery.NONE != config.recovery(), ShmemProperty.RECOVERY_RETAIN_TIMEOUT.longValue());
        if (null != config.idleStrategySupplier())
        {
            context.idleStrategySupplier(config.idleStrategySupplier());
        }

        return context;
    }

    /**
     * Returns what has to be equal on all PEs besides the size of the heap, in the order of this protocol version.
     */
    private static Map<String, String> attributes(
        final Shmem.Context config, final AlgorithmSettings algorithms)
    {
        final Map<String, String> values = new LinkedHashMap<>();
        add(values, ShmemProperty.DELAYED_INIT, config.delayedInit());
        add(values, ShmemProperty.MAX_TEAMS, config.maxTeams());
        add(values, ShmemProperty.CHECK_COLLECTIVES, config.checkCollectives());
        add(values, ShmemProperty.COLLECTIVES_SYNCHRONIZATION, config.synchronization());
        algorithms.addTo(values);
        add(values, ShmemProperty.LIVENESS_TIMEOUT, config.livenessTimeoutNs() + "ns");
        add(values, ShmemProperty.RECOVERY, config.recovery());
        add(values, ShmemProperty.TERM_LENGTH, ShmemProperty.TERM_LENGTH.longValue());
        add(values, ShmemProperty.IPC_MTU, ShmemProperty.IPC_MTU.longValue());
        add(values, ShmemProperty.UDP_MTU, ShmemProperty.UDP_MTU.longValue());
        return values;
    }

    private static void add(final Map<String, String> values, final ShmemProperty property, final Object value)
    {
        values.put(property.propertyName(), String.valueOf(value));
    }

    /**
     * Returns the handler of errors on the library's threads: the program's, after its counter if it has one.
     */
    private static ErrorHandler errorHandler(final Shmem.Context config)
    {
        final ErrorHandler errorHandler = config.errorHandler();
        final AtomicCounter errorCounter = config.errorCounter();
        if (null == errorCounter)
        {
            return errorHandler;
        }

        return (throwable) ->
        {
            errorCounter.increment();
            errorHandler.onError(throwable);
        };
    }
}
