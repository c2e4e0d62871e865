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
package io.aeroshmem.tests.collective;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;

/**
 * The collectives of a team.
 */
enum Call
{
    BARRIER(Form.SYNCHRONISES, "barrier"),
    SYNC(Form.SYNCHRONISES, "sync"),
    BROADCAST(Form.MOVES, "broadcast"),
    COLLECT(Form.MOVES, "collect"),
    FCOLLECT(Form.MOVES, "fcollect"),
    ALLTOALL(Form.MOVES, "alltoall"),
    ALLTOALLS(Form.MOVES, "alltoalls"),
    REDUCE(Form.REDUCES, "reduce"),
    REDUCE_SCATTER(Form.REDUCES, "reduceScatter"),
    INCLUSIVE_SCAN(Form.REDUCES, "inclusiveScan"),
    EXCLUSIVE_SCAN(Form.REDUCES, "exclusiveScan"),
    REDUCE_LONG(Form.SCALAR, "reduceLong"),
    REDUCE_DOUBLE(Form.SCALAR, "reduceDouble"),
    BROADCAST_LONG(Form.SCALAR, "broadcastLong");

    private final Form form;
    private final String methodName;

    Call(final Form form, final String methodName)
    {
        this.form = form;
        this.methodName = methodName;
    }

    String methodName()
    {
        return methodName;
    }

    boolean isSynchronising()
    {
        return Form.SYNCHRONISES == form;
    }

    boolean isMoving()
    {
        return Form.MOVES == form;
    }

    boolean isReducing()
    {
        return Form.REDUCES == form;
    }

    boolean isScalar()
    {
        return Form.SCALAR == form;
    }

    /**
     * Returns whether dest may be source.
     */
    boolean isInPlaceAllowed()
    {
        return BROADCAST == this || isReducing();
    }

    /**
     * Returns whether source has a block for each member.
     */
    boolean isSourceOfBlocks()
    {
        return ALLTOALL == this || ALLTOALLS == this || REDUCE_SCATTER == this;
    }

    /**
     * Returns whether dest has a block of each member.
     */
    boolean isDestOfBlocks()
    {
        return COLLECT == this || FCOLLECT == this || ALLTOALL == this || ALLTOALLS == this;
    }

    /**
     * Returns whether the operation, or null for none, and the type are allowed.
     */
    boolean isAllowed(final ReduceOp op, final ElementType type)
    {
        return switch (this)
        {
            case BARRIER, SYNC -> null == op && ElementType.BYTE == type;
            case REDUCE_LONG -> null != op && ElementType.LONG == type && Arithmetic.isAllowed(op, type);
            case REDUCE_DOUBLE -> null != op && ElementType.DOUBLE == type && Arithmetic.isAllowed(op, type);
            case BROADCAST_LONG -> null == op && ElementType.LONG == type;
            default -> isMoving() ? null == op : null != op && Arithmetic.isAllowed(op, type);
        };
    }

    private enum Form
    {
        SYNCHRONISES, MOVES, REDUCES, SCALAR
    }
}
