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
package io.aeroshmem.tools.stat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.job.JobViews;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * HTTP server of the counters of this user's running jobs. It serves them in OpenMetrics format at {@code /metrics}, on
 * the loopback interface only. One thread answers one request at a time.
 */
public final class MetricsServer implements AutoCloseable
{
    private static final String PATH = "/metrics";
    private static final int NO_BODY = -1;

    private final JobViews jobs;
    private final HttpServer server;
    private final ExecutorService executor =
        Executors.newSingleThreadExecutor((task) -> Threads.daemon(new Thread(task, "aeroshmem-metrics")));

    /**
     * Starts to serve.
     *
     * @param root of the jobs.
     * @param port 0 for any that is free.
     * @throws IOException if the port cannot be bound.
     */
    public MetricsServer(final Path root, final int port) throws IOException
    {
        jobs = new JobViews(root, "");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(executor);
        server.createContext("/", this::handle);
        server.start();
    }

    /** Returns the address of the metrics. */
    public String url()
    {
        final InetSocketAddress address = server.getAddress();
        return "http://" + address.getAddress().getHostAddress() + ":" + address.getPort() + PATH;
    }

    private void handle(final HttpExchange exchange) throws IOException
    {
        try (exchange)
        {
            if (!"GET".equals(exchange.getRequestMethod()))
            {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_BAD_METHOD, NO_BODY);
            }
            else if (!PATH.equals(exchange.getRequestURI().getPath()))
            {
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_NOT_FOUND, NO_BODY);
            }
            else
            {
                final byte[] body = metrics().getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Content-Type", OpenMetrics.CONTENT_TYPE);
                exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, body.length);
                exchange.getResponseBody().write(body);
            }
        }
    }

    private String metrics()
    {
        jobs.update();
        final StringWriter text = new StringWriter();
        new OpenMetrics().write(new PrintWriter(text, true), jobs.snapshots(), List.of());
        return text.toString();
    }

    @Override
    public void close()
    {
        server.stop(0);
        executor.shutdownNow();
    }
}
