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
package io.aeroshmem.gpu.ptx;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What the translator makes of instructions, and that it stops at those whose meaning it does not know. */
class PtxTranslatorTest
{
    private static String translate(final String statements)
    {
        return PtxTranslator.translate(
            ".version 8.0\n.target sm_75\n.address_size 64\n" +
            ".visible .global .align 8 .u64 word;\n" +
            ".visible .entry kernel(\n.param .u64 kernel_param_0,\n.param .align 4 .b8 kernel_param_1[12]\n)\n{\n" +
            ".reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n" +
            ".reg .f32 %f<4>; .reg .f64 %fd<4>;\n" +
            statements + ";\nret;\n}\n");
    }

    private static void assertStops(final String statement, final String message)
    {
        final String actual = assertThrows(UntranslatableException.class, () -> translate(statement)).getMessage();
        assertTrue(actual.startsWith("kernel: " + statement + ": ") && actual.contains(message), actual);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "add.f32 %f1, %f2, %f3", "sub.f64 %fd1, %fd2, %fd3", "mul.f32 %f1, %f2, %f3", "mul.ftz.f32 %f1, %f2, %f3",
        "div.full.f32 %f1, %f2, %f3", "div.approx.f32 %f1, %f2, %f3", "add.rz.f32 %f1, %f2, %f3"})
    void shouldStopAtFloatingPointWithoutRoundingToNearest(final String statement)
    {
        assertStops(statement, "no rounding, so ptxas may fuse it or approximate");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "fma.rn.f32 %f1, %f2, %f3, %f1 | unknown instruction",
        "mad.rn.f32 %f1, %f2, %f3, %f1 | fused",
        "add.rn.ftz.f32 %f1, %f2, %f3 | qualifier ftz",
        "mul.rn.sat.f32 %f1, %f2, %f3 | qualifier sat",
        "min.f32 %f1, %f2, %f3 | NaN",
        "sqrt.rn.f32 %f1, %f2 | unknown instruction",
        "cvt.rzi.s32.f32 %r1, %f1 | a conversion to an integer",
        "cvt.f32.f64 %f1, %fd1 | no one of rn",
        "cvt.rn.sat.f32.f64 %f1, %fd1 | qualifier sat"})
    void shouldStopAtFloatingPointThatDependsOnTheDevice(final String statement, final String message)
    {
        assertStops(statement, message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "lop3.b32 %r1, %r2, %r3, %r4, 1 | unknown instruction",
        "red.global.add.u32 [%rd1], 1 | unknown instruction",
        "mul.s32 %r1, %r2, %r3 | no one of lo",
        "add.cc.s32 %r1, %r2, %r3 | qualifier cc",
        "setp.eq.and.s32 %p1, %r1, %r2, %p2 | qualifier and",
        "ld.relaxed.sys.global.nc.u32 %r1, [%rd1] | qualifier nc",
        "ld.relaxed.u32 %r1, [%rd1] | no one of sys",
        "ld.acquire.sys.v2.u32 {%r1, %r2}, [%rd1] | an ordered vector",
        "st.acquire.sys.u32 [%rd1], %r1 | qualifier acquire",
        "ld.const.u32 %r1, [%rd1] | .const by a register",
        "atom.acquire.gpu.add.u32 %r1, [%rd1], 1 | qualifier acquire",
        "atom.add.f32 %f1, [%rd1], %f2 | an atomic operation on .F32",
        "membar | no one of sys",
        "bar.sync 1 | barrier 1",
        "bar.sync 0, 32 | number of operands",
        "bar.arrive 0, 32 | no one of sync",
        "vote.any.pred %p1, %p2 | no one of sync",
        "shfl.idx.b32 %r1, %r2, 0, 31 | no one of sync",
        "cvta.to.shared.u64 %rd1, %rd2 | no one of global",
        "mov.u32 %r1, %warpid | operand %warpid",
        "mov.u64 %rd1, word | operand word",
        "mov.u32 %r1, %rd1 | not as long",
        "and.b32 %r1, %rd1, 1 | not as long",
        "add.s64 %rd1, %rd2, %r1 | not as long",
        "st.u64 [%rd1], %r1 | is no .U64",
        "mov.f32 %f1, 0d3FF0000000000000 | is no .F32",
        "add.s32 %r1, %r2 | number of operands",
        "add.s32 %r1, %r2, %r9 | operand %r9",
        "@%p9 add.s32 %r1, %r2, %r3 | operand %p9",
        "mov.b128 %rd1, %rd2 | type b128"})
    void shouldStopAtWhatItDoesNotKnow(final String statement, final String message)
    {
        assertStops(statement, message);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        ".surfref surface;", ".visible .entry kernel(.param .u64 p) { ret;", ".func f { ret }", ".entry"})
    void shouldStopAtDeclarationsThatItDoesNotKnow(final String ptx)
    {
        assertThrows(UntranslatableException.class, () -> PtxTranslator.translate(ptx));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ld.s8 %r1, [%rd1+-4] | r_r1 = uint32_t(int8_t(v0));",
        "ld.u8 %r1, [%rd1] | r_r1 = uint32_t(uint8_t(v0));",
        "ld.param.u64 %rd1, [kernel_param_0] | ptx::here<uint64_t, 1>(uint64_t(parameters[0]))",
        "ld.param.u32 %r1, [kernel_param_1+8] | ptx::here<uint32_t, 1>(uint64_t(parameters[1]) + (8ll))",
        "ld.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1] | ptx::at<uint32_t, 4>(uint64_t(r_rd1))",
        "ld.acquire.sys.u64 %rd1, [%rd2] | ptx::load_acquire(p + 0)",
        "ld.volatile.global.u64 %rd1, [%rd2] | ptx::load_relaxed(p + 0)",
        "st.release.sys.u64 [%rd1], %rd2 | ptx::store_release(p + 0, uint64_t(r_rd2))",
        "st.u16 [%rd1], %r1 | ptx::store(p + 0, uint16_t(r_r1))",
        "@!%p1 bra $L__BB0_2 | if (!r_p1) { goto _S_L__BB0_2; }",
        "selp.f32 %f1, %f2, 0f7FC00000, %p1 | r_f1 = r_p1 ? r_f2 : ptx::bits<float>(uint32_t(0x7FC00000ull));",
        "setp.ne.f32 %p1, %f1, %f2 | r_p1 = ptx::ordered(r_f1, r_f2) && r_f1 != r_f2;",
        "setp.lt.s32 %p1, %r1, -2 | r_p1 = int32_t(r_r1) < int32_t(18446744073709551614ull);",
        "mul.wide.s32 %rd1, %r1, %r2 | int64_t(int32_t(r_r1)) * int64_t(int32_t(r_r2))",
        "mov.b64 {%r1,%r2}, %rd1 | r_r1 = uint32_t(v >> 0);r_r2 = uint32_t(v >> 32);",
        "add.rn.f32 %f1, %f2, %f3 | r_f1 = r_f2 + r_f3;"})
    void shouldTranslate(final String statement, final String expected)
    {
        final String cpp = translate(statement);
        assertTrue(cpp.contains(expected), cpp);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "bar.sync 0 | true", "vote.sync.any.pred %p1, %p2, %r1 | true", "add.s32 %r1, %r2, 1 | false"})
    void shouldRunThreadsThatMeetAtTheSameTime(final String statement, final boolean isConcurrent)
    {
        assertTrue(translate(statement).contains("kernel_kernel(\"kernel\", 2, sizes_kernel, " + isConcurrent + ")"));
        final String called = PtxTranslator.translate(
            ".func f\n{\n.reg .pred %p<4>; .reg .b32 %r<4>;\n" + statement + ";\nret;\n}\n" +
            ".func g()\n{\n{ // callseq\ncall.uni f, ();\n}\nret;\n}\n.visible .entry k()\n{\ncall.uni g;\nret;\n}\n");
        assertTrue(called.contains("kernel_k(\"k\", 0, sizes_k, " + isConcurrent + ")"), called);
    }

    @Test
    void shouldPassArgumentsAndResultOfACall()
    {
        final String cpp = translate(
            "{\n.param .b64 param0;\nst.param.b64 [param0+0], %rd1;\n.param .b32 retval0;\n" +
            "call.uni (retval0), function, (param0);\nld.param.b32 %r1, [retval0+0];\n}\nret");
        assertTrue(cpp.contains(
            "const unsigned char *const arguments[] = {param0, nullptr}; f_function(retval0, arguments);"), cpp);
        assertEquals(2, cpp.split("alignas\\(16\\) unsigned char (param0\\[8]|retval0\\[4]);").length - 1);
    }
}
