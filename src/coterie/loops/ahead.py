"""Ask for rows before they are needed, so that they arrive while others are worked on."""

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from coterie.loops import compiled

LINE = 64  # bytes that come from memory at a time


def _prefetch(typing_context, X, row, column):  # noqa: ARG001 - numba asks for these names
    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        strides = cgutils.unpack_tuple(builder, array.strides)
        steps = [builder.mul(i, s) for i, s in zip(arguments[1:], strides, strict=True)]
        number, byte = ir.IntType(32), ir.IntType(8).as_pointer()
        place = builder.gep(builder.bitcast(array.data, byte), [builder.add(*steps)])
        shape = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [byte], shape)
        # To be read, to be kept as near as can be, and data.
        builder.call(ask, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(X, types.intp, types.intp), generate


def _nothing(X, row, column):
    """Stand in for `_prefetch` where nothing is compiled."""


_ask: Any = _nothing if numba.config.DISABLE_JIT else intrinsic(_prefetch)  # type: ignore[attr-defined]


@compiled(nogil=True, inline="never")
def ask_for(
    X,  #     (n, d) float  IN
    start,  # int           IN  rows from here
    stop,  #  int           IN  to here, as far as there are any
):
    """Ask for rows. They may never be used: nothing comes of it but time."""
    step = LINE // X.itemsize
    for row in range(start, min(stop, X.shape[0])):
        for column in range(0, X.shape[1], step):
            _ask(X, row, column)
