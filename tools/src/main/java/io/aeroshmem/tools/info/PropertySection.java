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
package io.aeroshmem.tools.info;

import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.format.Json;

import java.util.stream.Stream;

/**
 * Section of {@code aeroshmem info} on the configuration properties: for each, its value, source and default, and
 * whether all PEs must have the same value.
 */
public final class PropertySection implements InfoSection
{
    private static final int NAME_WIDTH = 40;

    /** Creates a section on the properties of this process. */
    public PropertySection()
    {
    }

    @Override
    public void print(final InfoText output)
    {
        output.title("Properties (* must have the same value on all PEs of a job)");
        for (final ShmemProperty property : ShmemProperty.values())
        {
            final String mark = property.isCommon() ? "* " : "  ";
            output.line(mark + property.propertyName(), NAME_WIDTH, property.shownText());
            if (property.isGiven())
            {
                output.line("", NAME_WIDTH,
                    "(set by " + source(property) + "; default: " + property.shownDefault() + ")");
            }
        }
    }

    private static String source(final ShmemProperty property)
    {
        return property.source().equals(property.propertyName()) ? "a system property" : property.source();
    }

    @Override
    public Object facts()
    {
        return Stream.of(ShmemProperty.values()).map((property) -> Json.object(
            "property", property.propertyName(),
            "environment_variable", property.environmentName(),
            "value", property.shownText(),
            "default", property.shownDefault(),
            "source", property.isGiven() ? property.source() : "default",
            "allowed", property.allowed().replace("`", ""),
            "same_on_all_pes", property.isCommon())).toList();
    }
}
