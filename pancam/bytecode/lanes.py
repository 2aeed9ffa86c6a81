# SPDX-License-Identifier: Apache-2.0
"""Takes values apart into their scalars, so that a vector is worked on lane by lane and a scalar as its only lane."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pancam.bytecode.code import SlotValue
    from pancam.bytecode.function import FunctionLowering
    from pancam.bytecode.layout import Scalar
    from pancam.ir.types import Type
    from pancam.ir.values import Value


def lanes(lowering: FunctionLowering, value: Value) -> list[tuple[Scalar, SlotValue]]:
    """The scalars of a value, each with its slots."""
    return split_lanes(lowering, value.type, lowering.value(value))


def split_lanes(lowering: FunctionLowering, type_: Type, slots: SlotValue) -> list[tuple[Scalar, SlotValue]]:
    """The scalars of a type, each with its share of the slots."""
    found, at = [], 0
    for scalar in lowering.layout.scalars(type_):
        found.append((scalar, slots[at : at + scalar.slots]))
        at += scalar.slots
    return found
