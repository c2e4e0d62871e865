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
import io.aeroshmem.tools.exit.CommandException;
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
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * HTTP server of the counters of this user's running jobs. It serves them in OpenMetrics format at {@code /metrics}, on
 * the loopback interface only, which every user of this host reaches. So a client that does not finish its request, or
 * does not read the answer, occupies only a thread of its own, and loses its connection after {@value #MAX_SECONDS} s.
 */
public final class MetricsServer implements AutoCloseable
{
    private static final String PATH = "/metrics";
    private static final int NO_BODY = -1;
    private static final int MAX_SECONDS = 5;
    private static final int MAX_CONNECTIONS = 128;
    private static final long IDLE_SECONDS = 10;

    static
    {
        // the server of the JDK reads them once, and has no other settings
        setDefault("sun.net.httpserver.maxReqTime", MAX_SECONDS);
        setDefault("sun.net.httpserver.maxRspTime", MAX_SECONDS);
        setDefault("jdk.httpserver.maxConnections", MAX_CONNECTIONS);
    }

    private final JobViews jobs;
    private final HttpServer server;
    /** A thread for each request: one that waited for a thread would expire with those that it waits for. */
    private final ExecutorService executor = new ThreadPoolExecutor(
        0, MAX_CONNECTIONS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
        (task) -> Threads.daemon(new Thread(task, "aeroshmem-metrics")));

    /**
     * Starts to serve.
     *
     * @param root of the jobs.
     * @param port 0 for any that is free.
     * @throws CommandException if the port cannot be bound.
     */
    public MetricsServer(final Path root, final int port)
    {
        jobs = new JobViews(root, "");
        final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try
        {
            server = HttpServer.create(address, 0);
        }
        catch (final IOException ex)
        {
            throw CommandException.failure("cannot serve metrics at " + address.getAddress().getHostAddress() + ":" +
                port + " (--metrics-port): " + ex.getMessage());
        }

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

    private static void setDefault(final String property, final int value)
    {
        if (null == System.getProperty(property))
        {
            System.setProperty(property, Integer.toString(value));
        }
    }

    private void handle(final HttpExchange exchange) throws IOException
    {
        try (exchange)
        {
            final boolean isHead = "HEAD".equals(exchange.getRequestMethod());
            if (!isHead && !"GET".equals(exchange.getRequestMethod()))
            {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
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
                if (isHead)
                {
                    // the length is that of the body which GET has
                    exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
                    exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, NO_BODY);
                }
                else
                {
                    exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, body.length);
                    exchange.getResponseBody().write(body);
                }
            }
        }
    }

    private synchronized String metrics()
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
