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
package io.aeroshmem.tools.format;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

class JsonTest
{
    private final Map<String, Object> element = Json.object("a", 1, "b", Json.object("c", null));
    private final Map<String, Object> object = Json.object(
        "text", "\"\\\n", "array", Arrays.asList(1, null, true), "objects", List.of(element, element));

    @Test
    void shouldHaveALineForEachMemberAndForEachObjectOfAnArray()
    {
        assertEquals("""
            {
              "text": "\\"\\\\\\u000a",
              "array": [1, null, true],
              "objects": [
                {"a": 1, "b": {"c": null}},
                {"a": 1, "b": {"c": null}}
              ]
            }""", Json.of(object));
    }

    @Test
    void shouldWriteAnObjectInOneLine()
    {
        assertEquals("{\"a\": 1, \"b\": {\"c\": null}}", Json.line(element));
    }

    @Test
    void shouldBeReadAsItWasWritten()
    {
        assertEquals(Json.of(object), Json.of(JsonReader.read(Json.of(object))));
    }
}
