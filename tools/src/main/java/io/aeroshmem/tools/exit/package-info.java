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

/**
 * The end of a command: its {@link io.aeroshmem.tools.exit.ExitCode}, and the
 * {@link io.aeroshmem.tools.exit.CommandException} that carries an exit code and a line for the user.
 * {@link io.aeroshmem.tools.exit.FileProblem} describes file system failures.
 * {@link io.aeroshmem.tools.exit.OutputFile} checks, before the work begins, whether a result can be written, and
 * writes it. {@link io.aeroshmem.tools.exit.StandardStreams} detects that something printed is lost.
 */
package io.aeroshmem.tools.exit;
