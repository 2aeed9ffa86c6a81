/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns an OPW row of opcodes.def into four OP rows. Included before opcodes.def, wherever OP is defined.
 */
#define OPW(name, a, b, c, imm, visibility, meaning)                                                                   \
    OP(name##8, a, b, c, imm, visibility, meaning)                                                                     \
    OP(name##16, a, b, c, imm, visibility, meaning)                                                                    \
    OP(name##32, a, b, c, imm, visibility, meaning)                                                                    \
    OP(name##64, a, b, c, imm, visibility, meaning)
