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

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.transport.job.JobDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class MetricsServerTest
{
    private static final int HALF_REQUESTS = 40;

    @TempDir
    private Path root;

    @Test
    void shouldServeTheCountersOfJobsThatComeAndGo() throws IOException
    {
        try (MetricsServer server = new MetricsServer(root, 0))
        {
            assertTrue(server.url().matches("http://127\\.0\\.0\\.1:\\d+/metrics"), server.url());
            final String empty = get(server.url());
            assertTrue(empty.startsWith("# TYPE ") && empty.endsWith("\n# EOF\n"), empty);
            try (JobDirectory job = JobDirectory.create(root, 1))
            {
                job.control().heartbeat(0, System.currentTimeMillis());
                final String text = get(server.url());
                assertTrue(text.contains("\naeroshmem_pe_heartbeat_seconds{job=\"" + job.id() + "\",pe=\"0\"} "), text);
                job.delete();
            }

            assertEquals(empty, get(server.url()));
        }
    }

    @Test
    void shouldRejectOtherRequestsAndEnd() throws IOException
    {
        final String url;
        try (MetricsServer server = new MetricsServer(root, 0))
        {
            url = server.url();
            assertEquals(404, open(url.replace("/metrics", "/")).getResponseCode());
            final HttpURLConnection post = open(url);
            post.setRequestMethod("POST");
            assertEquals(405, post.getResponseCode());
            final int port = URI.create(url).getPort();
            final String message =
                assertThrows(CommandException.class, () -> new MetricsServer(root, port).close()).getMessage();
            assertEquals("cannot serve metrics at 127.0.0.1:" + port + " (--metrics-port): Address already in use",
                message);
        }

        assertThrows(IOException.class, () -> open(url).getResponseCode());
    }

    /** Clients that stop in the middle of a request, one of them in its first line. */
    @Test
    @Tag("ci")
    void shouldServeOthersBesideIncompleteRequests() throws IOException
    {
        final List<Socket> sockets = new ArrayList<>();
        try (MetricsServer server = new MetricsServer(root, 0))
        {
            final URI uri = URI.create(server.url());
            for (int i = 0; i < HALF_REQUESTS; i++)
            {
                final String begun = 0 == i % 2 ? "GE" : "GET /metrics HTTP/1.1\r\nHost: a\r\n";
                final Socket socket = new Socket(uri.getHost(), uri.getPort());
                sockets.add(socket);
                socket.setSoTimeout(30_000);
                socket.getOutputStream().write(begun.getBytes(StandardCharsets.US_ASCII));
            }

            for (int i = 0; i < 3; i++)
            {
                final HttpURLConnection connection = open(server.url());
                connection.setReadTimeout(4_000);
                assertEquals(200, connection.getResponseCode());
                connection.getInputStream().readAllBytes();
            }

            for (final Socket socket : sockets)
            {
                assertEquals(-1, socket.getInputStream().read(), "ended");
            }
        }
        finally
        {
            for (final Socket socket : sockets)
            {
                socket.close();
            }
        }
    }

    @Test
    void shouldAnswerHead() throws IOException
    {
        try (MetricsServer server = new MetricsServer(root, 0))
        {
            final HttpURLConnection head = open(server.url());
            head.setRequestMethod("HEAD");
            assertEquals(200, head.getResponseCode());
            assertEquals(OpenMetrics.CONTENT_TYPE, head.getContentType());
            assertEquals(get(server.url()).length(), head.getContentLength());
        }
    }

    private static String get(final String url) throws IOException
    {
        final HttpURLConnection connection = open(url);
        assertEquals(200, connection.getResponseCode());
        assertEquals(OpenMetrics.CONTENT_TYPE, connection.getContentType());
        return new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static HttpURLConnection open(final String url) throws IOException
    {
        return (HttpURLConnection)URI.create(url).toURL().openConnection();
    }
}
