/* SPDX-License-Identifier: Apache-2.0
 *
 * Complex numbers: what Clang calls for * and / on _Complex types, and the parts of complex.h. Annex G of the C
 * standard says what products give where plain arithmetic yields NaN: an infinity must not get lost.
 */
#include <complex.h>
#include <math.h>

#define COPYSIGN(x, y) _Generic((x), float: copysignf, double: copysign, long double: copysignl)(x, y)
#define FMAX(x, y) _Generic((x), float: fmaxf, double: fmax, long double: fmaxl)(x, y)
#define LOGB(x) _Generic((x), float: logbf, double: logb, long double: logbl)(x)
#define SCALBN(x, n) _Generic((x), float: scalbnf, double: scalbn, long double: scalbnl)(x, n)
#define FABS(x) _Generic((x), float: fabsf, double: fabs, long double: fabsl)(x)

/* An infinite part becomes 1, a finite one 0, so that a product of them says where infinities point. */
#define BOX(x) COPYSIGN(isinf(x) ? (__typeof__(x))1 : (__typeof__(x))0, x)
#define WITHOUT_NAN(x) (isnan(x) ? COPYSIGN((__typeof__(x))0, x) : (x))

#define DEFINE_PRODUCT(name, type)                                                                                     \
    _Complex type name(type a, type b, type c, type d) {                                                               \
        type ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                                           \
        type real = ac - bd, imaginary = ad + bc;                                                                      \
        if (isnan(real) && isnan(imaginary)) {                                                                         \
            int again = 0;                                                                                             \
            if (isinf(a) || isinf(b)) {                                                                                \
                a = BOX(a), b = BOX(b), c = WITHOUT_NAN(c), d = WITHOUT_NAN(d);                                        \
                again = 1;                                                                                             \
            }                                                                                                          \
            if (isinf(c) || isinf(d)) {                                                                                \
                c = BOX(c), d = BOX(d), a = WITHOUT_NAN(a), b = WITHOUT_NAN(b);                                        \
                again = 1;                                                                                             \
            }                                                                                                          \
            if (!again && (isinf(ac) || isinf(bd) || isinf(ad) || isinf(bc))) {                                        \
                a = WITHOUT_NAN(a), b = WITHOUT_NAN(b), c = WITHOUT_NAN(c), d = WITHOUT_NAN(d);                        \
                again = 1;                                                                                             \
            }                                                                                                          \
            if (again) {                                                                                               \
                real = (type)INFINITY * (a * c - b * d);                                                               \
                imaginary = (type)INFINITY * (a * d + b * c);                                                          \
            }                                                                                                          \
        }                                                                                                              \
        _Complex type result;                                                                                          \
        __real__ result = real, __imag__ result = imaginary;                                                           \
        return result;                                                                                                 \
    }

#define DEFINE_QUOTIENT(name, type)                                                                                    \
    _Complex type name(type a, type b, type c, type d) {                                                               \
        int scale = 0;                                                                                                 \
        type magnitude = LOGB(FMAX(FABS(c), FABS(d)));                                                                 \
        if (isfinite(magnitude)) {                                                                                     \
            scale = (int)magnitude;                                                                                    \
            c = SCALBN(c, -scale), d = SCALBN(d, -scale);                                                              \
        }                                                                                                              \
        type square = c * c + d * d;                                                                                   \
        type real = SCALBN((a * c + b * d) / square, -scale);                                                          \
        type imaginary = SCALBN((b * c - a * d) / square, -scale);                                                     \
        if (isnan(real) && isnan(imaginary)) {                                                                         \
            if (square == 0 && (!isnan(a) || !isnan(b))) {                                                             \
                real = COPYSIGN((type)INFINITY, c) * a, imaginary = COPYSIGN((type)INFINITY, c) * b;                   \
            } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {                                         \
                a = BOX(a), b = BOX(b);                                                                                \
                real = (type)INFINITY * (a * c + b * d), imaginary = (type)INFINITY * (b * c - a * d);                 \
            } else if (isinf(magnitude) && magnitude > 0 && isfinite(a) && isfinite(b)) {                              \
                c = BOX(c), d = BOX(d);                                                                                \
                real = (type)0 * (a * c + b * d), imaginary = (type)0 * (b * c - a * d);                               \
            }                                                                                                          \
        }                                                                                                              \
        _Complex type result;                                                                                          \
        __real__ result = real, __imag__ result = imaginary;                                                           \
        return result;                                                                                                 \
    }

DEFINE_PRODUCT(__mulsc3, float)
DEFINE_PRODUCT(__muldc3, double)
DEFINE_PRODUCT(__mulxc3, long double)
DEFINE_QUOTIENT(__divsc3, float)
DEFINE_QUOTIENT(__divdc3, double)
DEFINE_QUOTIENT(__divxc3, long double)

#define PARTS(type, suffix)                                                                                            \
    type creal##suffix(_Complex type z) { return __real__ z; }                                                         \
    type cimag##suffix(_Complex type z) { return __imag__ z; }                                                         \
    type cabs##suffix(_Complex type z) { return hypot##suffix(__real__ z, __imag__ z); }                               \
    type carg##suffix(_Complex type z) { return atan2##suffix(__imag__ z, __real__ z); }                               \
    _Complex type conj##suffix(_Complex type z) {                                                                      \
        __imag__ z = -__imag__ z;                                                                                      \
        return z;                                                                                                      \
    }                                                                                                                  \
    _Complex type cproj##suffix(_Complex type z) {                                                                     \
        if (isinf(__real__ z) || isinf(__imag__ z)) {                                                                  \
            __real__ z = (type)INFINITY;                                                                               \
            __imag__ z = COPYSIGN((type)0, __imag__ z);                                                                \
        }                                                                                                              \
        return z;                                                                                                      \
    }

PARTS(float, f)
PARTS(double, )
PARTS(long double, l)
