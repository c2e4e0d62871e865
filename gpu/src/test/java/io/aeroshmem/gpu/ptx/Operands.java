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

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The operands of a function's instructions as C++: registers, symbols, special registers and constants.
 */
final class Operands
{
    private static final Pattern INTEGER = Pattern.compile("-?\\d+|0[xX][0-9a-fA-F]+U?");
    private static final Pattern FLOAT = Pattern.compile("0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}");
    private static final Pattern SYMBOL = Pattern.compile("([\\w$]+)(?:\\+(-?\\d+))?");
    private static final Pattern ADDRESS = Pattern.compile("\\[\\s*([%\\w$]+)(?:\\s*\\+\\s*(-?\\d+))?\\s*]");
    private static final Pattern DIMENSION = Pattern.compile("%(tid|ntid|ctaid|nctaid)\\.([xyz])");
    private static final Map<String, String> DIMENSIONS = Map.of(
        "tid", "thread_index", "ntid", "block_dimension", "ctaid", "block_index", "nctaid", "grid_dimension");

    private final Map<String, PtxType> registers = new HashMap<>();
    /** By name, the expressions of the host's addresses of variables and parameters. */
    private final Map<String, String> places = new HashMap<>();
    /** By name, the offsets of variables in shared memory. */
    private final Map<String, Long> sharedOffsets = new HashMap<>();

    /** The name of a register, label or symbol in C++. */
    static String cpp(final String name)
    {
        return name.replace("%", "r_").replace("$", "_S_");
    }

    /** Declares a register; false: it is declared already. */
    boolean addRegister(final String name, final PtxType type)
    {
        return null == registers.put(name, type);
    }

    void addPlace(final String name, final String place)
    {
        places.put(name, place);
    }

    void addShared(final String name, final long offset)
    {
        sharedOffsets.put(name, offset);
    }

    PtxType typeOf(final String register)
    {
        final PtxType type = registers.get(register);
        if (null == type)
        {
            throw new UntranslatableException("register " + register);
        }

        return type;
    }

    /** The value of an operand as one of a type, of whose length a register has to be. */
    String value(final String operand, final PtxType type)
    {
        if (registers.containsKey(operand) && registers.get(operand).bytes != type.bytes)
        {
            throw new UntranslatableException("register " + operand + " is not as long as its operand");
        }

        return widerValue(operand, type);
    }

    /** The value of an operand as one of a type; a register may be wider, as in stores and conversions. */
    String widerValue(final String operand, final PtxType type)
    {
        final PtxType from = registers.get(operand);
        if (null != from)
        {
            return ofRegister(operand, from, type);
        }

        if (PtxType.PRED == type && operand.startsWith("!"))
        {
            return "!" + value(operand.substring(1), type);
        }

        final String special = special(operand);
        if (null != special)
        {
            return cast(type, special);
        }

        if (FLOAT.matcher(operand).matches())
        {
            return constant(operand, type);
        }

        if (INTEGER.matcher(operand).matches() && !type.isFloat())
        {
            return PtxType.PRED == type ? (0 != integer(operand) ? "true" : "false") :
                cast(type, Long.toUnsignedString(integer(operand)) + "ull");
        }

        return cast(type, symbol(operand));
    }

    private static long integer(final String operand)
    {
        return operand.startsWith("0x") || operand.startsWith("0X") ?
            Long.parseUnsignedLong(operand.substring(2).replace("U", ""), 16) : Long.parseLong(operand);
    }

    private static String ofRegister(final String operand, final PtxType from, final PtxType type)
    {
        if ((PtxType.PRED == from) != (PtxType.PRED == type) || from.bytes < type.bytes)
        {
            throw new UntranslatableException("register " + operand + " is no ." + type);
        }

        if (from.isFloat() == type.isFloat())
        {
            if (from.isFloat() && from != type)
            {
                throw new UntranslatableException("register " + operand + " is no ." + type);
            }

            return PtxType.PRED == type || from.isFloat() ? cpp(operand) : cast(type, cpp(operand));
        }

        if (from.bytes != type.bytes)
        {
            throw new UntranslatableException("register " + operand + " is no ." + type);
        }

        return cast(type, "ptx::bits<" + (type.isFloat() ? type : type.bits()).cpp + ">(" + cpp(operand) + ")");
    }

    private static String constant(final String operand, final PtxType type)
    {
        final PtxType own = 10 == operand.length() ? PtxType.F32 : PtxType.F64;
        final String bits = own.bits().cpp + "(0x" + operand.substring(2) + "ull)";
        if (own.bytes != type.bytes)
        {
            throw new UntranslatableException("constant " + operand + " is no ." + type);
        }

        return type.isFloat() ? "ptx::bits<" + type.cpp + ">(" + bits + ")" : cast(type, bits);
    }

    private static String cast(final PtxType type, final String expression)
    {
        if (PtxType.PRED == type)
        {
            throw new UntranslatableException(expression + " is no .pred");
        }

        return type.cpp + "(" + expression + ")";
    }

    private static String special(final String operand)
    {
        final Matcher dimension = DIMENSION.matcher(operand);
        if (dimension.matches())
        {
            return "aeroshmem_sim_current->" + DIMENSIONS.get(dimension.group(1)) + "." + dimension.group(2);
        }

        switch (operand)
        {
            case "%laneid":
                return "ptx::lane()";
            case "%clock64":
            case "%globaltimer":
                return "ptx::nanoseconds()";
            default:
                return null;
        }
    }

    /** The value of a symbol: the address of local memory, or the offset in shared memory. */
    private String symbol(final String operand)
    {
        final Matcher matcher = SYMBOL.matcher(operand);
        if (matcher.matches())
        {
            final String offset = null == matcher.group(2) ? "" : "+(" + matcher.group(2) + ")";
            if (sharedOffsets.containsKey(matcher.group(1)))
            {
                return sharedOffsets.get(matcher.group(1)) + offset;
            }

            if (matcher.group(1).startsWith("__local_depot"))
            {
                return "uint64_t(" + places.get(matcher.group(1)) + ")" + offset;
            }
        }

        throw new UntranslatableException("operand " + operand);
    }

    /** A statement that assigns an expression of a type to a register of the same length. */
    String assign(final String register, final PtxType type, final String expression)
    {
        if (typeOf(register).bytes != type.bytes)
        {
            throw new UntranslatableException("register " + register + " is not as long as its operand");
        }

        return assignWider(register, type, expression);
    }

    /** As above, to a register that may be longer: the value is extended, with its sign if the type has one. */
    String assignWider(final String register, final PtxType type, final String expression)
    {
        final PtxType to = typeOf(register);
        if ((PtxType.PRED == to) != (PtxType.PRED == type) || to.bytes < type.bytes ||
            (to.bytes != type.bytes && (to.isFloat() || type.isFloat())) ||
            (to.isFloat() && type.isFloat() && to != type))
        {
            throw new UntranslatableException("register " + register + " is no ." + type);
        }

        final String value;
        if (to == type)
        {
            value = expression;
        }
        else if (to.isFloat() || type.isFloat())
        {
            value = "ptx::bits<" + to.cpp + ">(" + (to.isFloat() ? type.bits().cpp : type.cpp) +
                "(" + expression + "))";
        }
        else
        {
            value = to.cpp + "(" + type.cpp + "(" + expression + "))";
        }

        return cpp(register) + " = " + value + ";";
    }

    /** The base of an address: a register or a symbol. */
    static String base(final String address)
    {
        return match(address).group(1);
    }

    boolean isSymbol(final String address)
    {
        return places.containsKey(base(address)) || sharedOffsets.containsKey(base(address));
    }

    /** The address of {@code [%rd1+8]}: the sum, as a number. */
    String address(final String address)
    {
        final Matcher matcher = match(address);
        final String base = matcher.group(1);
        final String sum = sharedOffsets.containsKey(base) ? sharedOffsets.get(base) + "ull" :
            places.containsKey(base) ? "uint64_t(" + places.get(base) + ")" :
            typeOf(base).bytes == 4 ? "uint64_t(" + value(base, PtxType.U32) + ")" : value(base, PtxType.U64);
        return null == matcher.group(2) ? sum : sum + " + (" + matcher.group(2) + "ll)";
    }

    private static Matcher match(final String address)
    {
        final Matcher matcher = ADDRESS.matcher(address);
        if (!matcher.matches())
        {
            throw new UntranslatableException("address " + address);
        }

        return matcher;
    }
}
