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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static io.aeroshmem.gpu.ptx.PtxType.B32;
import static io.aeroshmem.gpu.ptx.PtxType.PRED;
import static io.aeroshmem.gpu.ptx.PtxType.S32;
import static io.aeroshmem.gpu.ptx.PtxType.U32;
import static io.aeroshmem.gpu.ptx.PtxType.U64;

/**
 * Translates each instruction to a statement of C++, by one method for each family of instructions. A method uses all
 * qualifiers of the opcode, or stops.
 *
 * <p>Operations on floating-point numbers must name their rounding, because ptxas may fuse those that do not.</p>
 */
final class InstructionTranslator
{
    /** Translates an instruction to the statements of a block. */
    private interface Family
    {
        String translate(Instruction instruction);
    }

    private static final String[] SCOPES = {"sys", "gpu", "cta"};
    private static final Map<String, String> COMPARISONS = Map.of(
        "eq", "==", "ne", "!=", "lt", "<", "le", "<=", "gt", ">", "ge", ">=");

    private final Map<String, Family> families = new HashMap<>();
    private final Operands operands;

    InstructionTranslator(final Operands operands)
    {
        this.operands = operands;
        add(this::branch, "bra", "ret");
        add(this::call, "call");
        add(this::load, "ld");
        add(this::store, "st");
        add(this::atomic, "atom");
        add(this::fence, "membar", "fence");
        add(this::barrier, "bar");
        add(this::vote, "vote");
        add(this::shuffle, "shfl");
        add(this::activeMask, "activemask");
        add(this::sleep, "nanosleep");
        add(this::convertAddress, "cvta");
        add(this::move, "mov");
        add(this::convert, "cvt");
        add(this::compare, "setp");
        add(this::select, "selp");
        add(this::arithmetic, "add", "sub");
        add(this::multiply, "mul", "mad");
        add(this::divide, "div", "rem");
        add(this::negate, "neg", "not");
        add(this::logic, "and", "or", "xor");
        add(this::shift, "shl", "shr");
        add(this::funnelShift, "shf");
        add(this::extreme, "min", "max");
        add(this::bits, "popc", "brev", "bfind", "clz");
    }

    private void add(final Family family, final String... names)
    {
        for (final String name : names)
        {
            families.put(name, family);
        }
    }

    String translate(final String text)
    {
        try
        {
            final Instruction instruction = new Instruction(text);
            final Family family = families.get(instruction.name);
            if (null == family)
            {
                throw new UntranslatableException("unknown instruction");
            }

            final String block = "{ " + family.translate(instruction) + " }";
            return null == instruction.guard ? block :
                "if (" + (instruction.isGuardNegated ? "!" : "") + operands.value(instruction.guard, PRED) + ") " +
                block;
        }
        catch (final UntranslatableException ex)
        {
            throw new UntranslatableException(text + ": " + ex.getMessage());
        }
    }

    private String branch(final Instruction in)
    {
        in.has("uni");
        in.end("bra".equals(in.name) ? 1 : 0);
        return "bra".equals(in.name) ? "goto " + Operands.cpp(in.operand(0)) + ";" : "return;";
    }

    /** {@code call (result), function, (arguments)}: arguments and result are passed by their addresses. */
    private String call(final Instruction in)
    {
        in.has("uni");
        final List<String> rest = new ArrayList<>(in.operands);
        in.end(rest.size());
        final String result = in.operand(0).startsWith("(") ? Instruction.items(rest.remove(0)).get(0) : null;
        final String function = rest.remove(0);
        final List<String> arguments = rest.isEmpty() ? List.of() : Instruction.items(rest.get(0));
        return "const unsigned char *const arguments[] = {" +
            arguments.stream().map(Operands::cpp).map(name -> name + ", ").collect(Collectors.joining()) +
            "nullptr}; " +
            "f_" + Operands.cpp(function) + "(" + (null == result ? "nullptr" : Operands.cpp(result)) + ", arguments);";
    }

    /** The pointer by which an instruction accesses memory, whose state space it names or not. */
    private String pointer(final Instruction in, final String address, final PtxType type, final int count)
    {
        final String space = in.oneOf("param", "const", "global", "local", "shared");
        final String cpp = "<" + type.cpp + ", " + count + ">(" + operands.address(address) + ")";
        if ("shared".equals(space))
        {
            return "shared.at" + cpp;
        }

        if (operands.isSymbol(address) && null != space)
        {
            return "ptx::here" + cpp;
        }

        if ("param".equals(space) || "const".equals(space))
        {
            throw new UntranslatableException("." + space + " by a register");
        }

        return ("local".equals(space) ? "ptx::here" : "global".equals(space) ? "ptx::in_global" : "ptx::at") + cpp;
    }

    private static int vectorLength(final Instruction in)
    {
        final String vector = in.oneOf("v2", "v4");
        return null == vector ? 1 : Integer.parseInt(vector.substring(1));
    }

    private static List<String> elements(final String operand, final int count)
    {
        final List<String> elements = 1 == count ? List.of(operand) : Instruction.items(operand);
        if (count != elements.size())
        {
            throw new UntranslatableException("length of the vector");
        }

        return elements;
    }

    private String load(final Instruction in)
    {
        final PtxType type = in.type();
        final int count = vectorLength(in);
        final String order = in.oneOf("volatile", "relaxed", "acquire", "weak");
        if ("relaxed".equals(order) || "acquire".equals(order))
        {
            in.required(SCOPES);
        }

        if (null == order)
        {
            // of memory that is not written meanwhile: a load like any other
            in.has("nc");
        }

        final String pointer = pointer(in, in.operand(1), type, count);
        in.end(2);
        final String suffix = "acquire".equals(order) ? "_acquire" :
            null == order || "weak".equals(order) ? "" : "_relaxed";
        if (count > 1 && !suffix.isEmpty())
        {
            throw new UntranslatableException("an ordered vector");
        }

        final StringBuilder block = new StringBuilder("const auto *const p = " + pointer + ";");
        final List<String> elements = elements(in.operand(0), count);
        for (int i = 0; i < count; i++)
        {
            block.append(" const ").append(type.cpp).append(" v").append(i)
                .append(" = ptx::load").append(suffix).append("(p + ").append(i).append(");");
        }

        for (int i = 0; i < count; i++)
        {
            block.append(' ').append(operands.assignWider(elements.get(i), type, "v" + i));
        }

        return block.toString();
    }

    private String store(final Instruction in)
    {
        final PtxType type = in.type();
        final int count = vectorLength(in);
        final String order = in.oneOf("volatile", "relaxed", "release", "weak");
        if ("relaxed".equals(order) || "release".equals(order))
        {
            in.required(SCOPES);
        }

        final String pointer = pointer(in, in.operand(0), type, count);
        in.end(2);
        final String suffix = "release".equals(order) ? "_release" :
            null == order || "weak".equals(order) ? "" : "_relaxed";
        if (count > 1 && !suffix.isEmpty())
        {
            throw new UntranslatableException("an ordered vector");
        }

        final StringBuilder block = new StringBuilder("auto *const p = " + pointer + ";");
        final List<String> elements = elements(in.operand(1), count);
        for (int i = 0; i < count; i++)
        {
            block.append(" ptx::store").append(suffix).append("(p + ").append(i).append(", ")
                .append(operands.widerValue(elements.get(i), type)).append(");");
        }

        return block.toString();
    }

    private String atomic(final Instruction in)
    {
        final PtxType type = in.type();
        in.has("relaxed");
        in.oneOf(SCOPES);
        final String operation = in.required("add", "exch", "cas", "and", "or", "xor", "min", "max");
        if (!type.isInteger())
        {
            throw new UntranslatableException("an atomic operation on ." + type);
        }

        final String pointer = pointer(in, in.operand(1), type, 1);
        in.end("cas".equals(operation) ? 4 : 3);
        final String values = in.operands.subList(2, in.operands.size()).stream()
            .map(operand -> ", " + operands.value(operand, type)).collect(Collectors.joining());
        return "const " + type.cpp + " old = ptx::atomic_" + operation + "(" + pointer + values + "); " +
            ("_".equals(in.operand(0)) ? "(void)old;" : operands.assign(in.operand(0), type, "old"));
    }

    private String fence(final Instruction in)
    {
        if ("fence".equals(in.name))
        {
            in.required("sc", "acq_rel");
            in.required(SCOPES);
        }
        else
        {
            in.required("sys", "gl", "cta");
        }

        in.end(0);
        return "ptx::fence();";
    }

    /** Barriers of the block, all of whose threads take part, and of a warp. */
    private String barrier(final Instruction in)
    {
        if (in.has("warp"))
        {
            in.required("sync");
            in.end(1);
            return "ptx::warp_barrier(" + operands.value(in.operand(0), U32) + ");";
        }

        if (in.has("red"))
        {
            in.required("or");
            in.required("pred");
            in.end(3);
            requireBarrierZero(in.operand(1));
            return operands.assign(
                in.operand(0), PRED, "0 != ptx::block_barrier(" + operands.value(in.operand(2), PRED) + ")");
        }

        in.required("sync");
        in.end(1);
        requireBarrierZero(in.operand(0));
        return "ptx::block_barrier(false);";
    }

    private static void requireBarrierZero(final String barrier)
    {
        if (!"0".equals(barrier))
        {
            throw new UntranslatableException("barrier " + barrier);
        }
    }

    private String vote(final Instruction in)
    {
        in.required("sync");
        final String mode = in.required("any", "all", "ballot");
        final PtxType type = in.type();
        in.end(3);
        final String mask = operands.value(in.operand(2), U32);
        final String ballot = "ptx::ballot(" + mask + ", " + operands.value(in.operand(1), PRED) + ")";
        switch (mode)
        {
            case "any":
                return operands.assign(in.operand(0), type, "0 != " + ballot);
            case "all":
                return operands.assign(in.operand(0), type, mask + " == " + ballot);
            default:
                return operands.assign(in.operand(0), type, ballot);
        }
    }

    private String shuffle(final Instruction in)
    {
        in.required("sync");
        final String mode = in.required("idx", "up", "down", "bfly");
        in.required("b32");
        in.end(5);
        final String[] dest = in.operand(0).split("\\|");
        return "bool in_range; const uint32_t v = ptx::shuffle_" + mode + "(" +
            operands.value(in.operand(4), U32) + ", " + operands.value(in.operand(1), U32) + ", " +
            operands.value(in.operand(2), U32) + ", " + operands.value(in.operand(3), U32) + ", in_range); " +
            operands.assign(dest[0], B32, "v") +
            (1 == dest.length ? "" : " " + operands.assign(dest[1], PRED, "in_range"));
    }

    private String activeMask(final Instruction in)
    {
        in.required("b32");
        in.end(1);
        return "static char place; " + operands.assign(in.operand(0), B32, "aeroshmem_sim_active_mask(&place)");
    }

    private String sleep(final Instruction in)
    {
        in.required("u32");
        in.end(1);
        return "aeroshmem_sim_sleep(" + operands.value(in.operand(0), U32) + ");";
    }

    /** Generic addresses are those of global and of local memory. */
    private String convertAddress(final Instruction in)
    {
        in.has("to");
        in.required("global", "local");
        in.required("u64");
        in.end(2);
        return operands.assign(in.operand(0), U64, operands.value(in.operand(1), U64));
    }

    /** Moves, and the packing and unpacking of vectors. */
    private String move(final Instruction in)
    {
        final PtxType type = in.type();
        in.end(2);
        if (!in.operand(0).startsWith("{") && !in.operand(1).startsWith("{"))
        {
            return operands.assign(in.operand(0), type, operands.value(in.operand(1), type));
        }

        final boolean isUnpacking = in.operand(0).startsWith("{");
        final List<String> elements = Instruction.items(in.operand(isUnpacking ? 0 : 1));
        final PtxType part = PtxType.bits(type.bytes / elements.size());
        final StringBuilder block = new StringBuilder("const " + type.cpp + " v = ");
        block.append(isUnpacking ? operands.value(in.operand(1), type) : "0");
        for (int i = 0; i < elements.size() && !isUnpacking; i++)
        {
            block.append(" | ").append(type.cpp).append('(').append(operands.value(elements.get(i), part))
                .append(") << ").append(8 * part.bytes * i);
        }

        block.append("; ");
        for (int i = 0; i < elements.size() && isUnpacking; i++)
        {
            block.append(operands.assign(elements.get(i), part, part.cpp + "(v >> " + 8 * part.bytes * i + ")"));
        }

        return isUnpacking ? block.toString() : block + operands.assign(in.operand(0), type, "v");
    }

    /** Conversions, but for those from floating point to integers, which saturate. */
    private String convert(final Instruction in)
    {
        final PtxType from = in.type();
        final PtxType to = in.type();
        if (from.isFloat() && !to.isFloat())
        {
            throw new UntranslatableException("a conversion to an integer");
        }

        if (to.isFloat() && (!from.isFloat() || from.bytes > to.bytes))
        {
            in.required("rn");
        }

        in.end(2);
        return operands.assignWider(in.operand(0), to, to.cpp + "(" + operands.widerValue(in.operand(1), from) + ")");
    }

    private String compare(final Instruction in)
    {
        final PtxType type = in.type();
        final String a = operands.value(in.operand(1), type);
        final String b = operands.value(in.operand(2), type);
        final String result;
        if (type.isFloat())
        {
            final String comparison = in.required(
                "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan");
            result = "num".equals(comparison) ? "ptx::ordered(" + a + ", " + b + ")" :
                "nan".equals(comparison) ? "!ptx::ordered(" + a + ", " + b + ")" :
                3 == comparison.length() ? "!ptx::ordered(" + a + ", " + b + ") || " +
                    a + " " + COMPARISONS.get(comparison.substring(0, 2)) + " " + b :
                "ptx::ordered(" + a + ", " + b + ") && " + a + " " + COMPARISONS.get(comparison) + " " + b;
        }
        else
        {
            result = a + " " + COMPARISONS.get(in.required("eq", "ne", "lt", "le", "gt", "ge")) + " " + b;
        }

        in.end(3);
        return operands.assign(in.operand(0), PRED, result);
    }

    private String select(final Instruction in)
    {
        final PtxType type = in.type();
        in.end(4);
        return operands.assign(
            in.operand(0), type, operands.value(in.operand(3), PRED) + " ? " + operands.value(in.operand(1), type) +
            " : " + operands.value(in.operand(2), type));
    }

    /** Stops unless the rounding is named: ptxas fuses a multiplication and an addition without it. */
    private static void requireRounding(final Instruction in, final PtxType type)
    {
        if (type.isFloat() && !in.has("rn"))
        {
            throw new UntranslatableException("no rounding, so ptxas may fuse it or approximate");
        }
    }

    /** Integers wrap, so they are added, subtracted and multiplied without sign. */
    private String arithmetic(final Instruction in)
    {
        final PtxType type = in.type();
        requireRounding(in, type);
        in.end(3);
        return operands.assign(in.operand(0), type, operation("add".equals(in.name) ? "+" : "-", in, type));
    }

    private String operation(final String operator, final Instruction in, final PtxType type)
    {
        final String a = operands.value(in.operand(1), type);
        final String b = operands.value(in.operand(2), type);
        return type.isFloat() ? a + " " + operator + " " + b :
            type.cpp + "(uint64_t(" + a + ") " + operator + " uint64_t(" + b + "))";
    }

    private String multiply(final Instruction in)
    {
        final PtxType type = in.type();
        final boolean isAdding = "mad".equals(in.name);
        if (type.isFloat())
        {
            if (isAdding)
            {
                throw new UntranslatableException("fused");
            }

            requireRounding(in, type);
            in.end(3);
            return operands.assign(in.operand(0), type, operation("*", in, type));
        }

        final String part = in.required("lo", "hi", "wide");
        in.end(isAdding ? 4 : 3);
        final PtxType result = "wide".equals(part) ? type.twice() : type;
        final String a = operands.value(in.operand(1), type);
        final String b = operands.value(in.operand(2), type);
        final String product = "hi".equals(part) ? "ptx::high(" + a + ", " + b + ")" :
            "wide".equals(part) ? result.cpp + "(" + a + ") * " + result.cpp + "(" + b + ")" : operation("*", in, type);
        return operands.assign(
            in.operand(0), result, !isAdding ? product :
            result.cpp + "(uint64_t(" + product + ") + uint64_t(" + operands.value(in.operand(3), result) + "))");
    }

    private String divide(final Instruction in)
    {
        final PtxType type = in.type();
        requireRounding(in, type);
        in.end(3);
        final String a = operands.value(in.operand(1), type);
        final String b = operands.value(in.operand(2), type);
        return operands.assign(
            in.operand(0), type, type.isFloat() ? a + " / " + b :
            "ptx::" + ("div".equals(in.name) ? "quotient" : "remainder") + "(" + a + ", " + b + ")");
    }

    private String negate(final Instruction in)
    {
        final PtxType type = in.type();
        in.end(2);
        final String a = operands.value(in.operand(1), type);
        return operands.assign(
            in.operand(0), type, "not".equals(in.name) ? (PRED == type ? "!" : "~") + a :
            type.isFloat() ? "-" + a : type.cpp + "(0 - uint64_t(" + a + "))");
    }

    private String logic(final Instruction in)
    {
        final PtxType type = in.type();
        in.end(3);
        final String operator = "and".equals(in.name) ? "&" : "or".equals(in.name) ? "|" : "^";
        return operands.assign(
            in.operand(0), type, operands.value(in.operand(1), type) + " " + operator + " " +
            operands.value(in.operand(2), type));
    }

    private String shift(final Instruction in)
    {
        final PtxType type = in.type();
        in.end(3);
        return operands.assign(
            in.operand(0), type, "ptx::" + in.name + "(" + operands.value(in.operand(1), type) + ", " +
            operands.value(in.operand(2), U32) + ")");
    }

    private String funnelShift(final Instruction in)
    {
        in.required("l");
        in.required("wrap");
        in.required("b32");
        in.end(4);
        return operands.assign(
            in.operand(0), B32, "ptx::shf_left(" + operands.value(in.operand(1), U32) + ", " +
            operands.value(in.operand(2), U32) + ", " + operands.value(in.operand(3), U32) + ")");
    }

    private String extreme(final Instruction in)
    {
        final PtxType type = in.type();
        in.end(3);
        if (type.isFloat())
        {
            throw new UntranslatableException("its result for NaN and -0 depends on the architecture");
        }

        final String a = operands.value(in.operand(1), type);
        final String b = operands.value(in.operand(2), type);
        return operands.assign(
            in.operand(0), type, a + ("min".equals(in.name) ? " < " : " > ") + b + " ? " + a + " : " + b);
    }

    private String bits(final Instruction in)
    {
        final boolean isShiftAmount = "bfind".equals(in.name);
        if (isShiftAmount)
        {
            in.required("shiftamt");
        }

        final PtxType type = in.type();
        in.end(2);
        if (4 != type.bytes || S32 == type)
        {
            throw new UntranslatableException("type ." + type);
        }

        return operands.assign(
            in.operand(0), U32, "ptx::" + in.name + "(" + operands.value(in.operand(1), U32) + ")");
    }
}
