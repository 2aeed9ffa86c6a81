/* SPDX-License-Identifier: Apache-2.0
 *
 * C11 atomics of every width by one thread: loads, stores, every read-modify-write, compare-exchange, flags.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define EXERCISE(type, name)                                                                                           \
    static void name(void) {                                                                                           \
        _Atomic(type) a = (type)5;                                                                                     \
        type expected = (type)7;                                                                                       \
        printf("%lld ", (long long)atomic_load(&a));                                                                   \
        atomic_store(&a, (type) - 3);                                                                                  \
        printf("%lld ", (long long)atomic_exchange(&a, (type)100));                                                    \
        printf("%lld ", (long long)atomic_fetch_add(&a, (type)50));                                                    \
        printf("%lld ", (long long)atomic_fetch_sub(&a, (type)200));                                                   \
        printf("%lld ", (long long)atomic_fetch_and(&a, (type)0x7c));                                                  \
        printf("%lld ", (long long)atomic_fetch_or(&a, (type)0x13));                                                   \
        printf("%lld ", (long long)atomic_fetch_xor(&a, (type)0x55));                                                  \
        printf("%d ", atomic_compare_exchange_strong(&a, &expected, (type)1));                                         \
        printf("%lld ", (long long)expected);                                                                          \
        printf("%d ", atomic_compare_exchange_strong(&a, &expected, (type) - 1));                                      \
        printf("%lld ", (long long)atomic_load_explicit(&a, memory_order_acquire));                                    \
        atomic_store_explicit(&a, (type)9, memory_order_release);                                                      \
        expected = (type)9;                                                                                            \
        while (!atomic_compare_exchange_weak(&a, &expected, (type)(expected * 2))) continue;                           \
        printf("%lld ", (long long)atomic_fetch_add_explicit(&a, (type)1, memory_order_relaxed));                      \
        a += (type)3;                                                                                                  \
        a -= (type)1;                                                                                                  \
        a |= (type)64;                                                                                                 \
        a ^= (type)1;                                                                                                  \
        a &= (type)~2;                                                                                                 \
        a++;                                                                                                           \
        --a;                                                                                                           \
        a *= (type)3;                                                                                                  \
        a <<= 1;                                                                                                       \
        printf("%lld ", (long long)a++);                                                                               \
        printf("%lld\n", (long long)a);                                                                                \
    }

EXERCISE(signed char, signed_8)
EXERCISE(unsigned char, unsigned_8)
EXERCISE(short, signed_16)
EXERCISE(unsigned short, unsigned_16)
EXERCISE(int, signed_32)
EXERCISE(unsigned, unsigned_32)
EXERCISE(long long, signed_64)
EXERCISE(unsigned long long, unsigned_64)

static void floating(void) {
    _Atomic double d = 1.5;
    _Atomic float f = 2.5f;
    double expected = 1.5;
    printf("%g ", atomic_exchange(&d, -2.25));
    printf("%d ", atomic_compare_exchange_strong(&d, &expected, 3.0));
    printf("%g ", expected);
    d += 0.5;
    f *= 2;
    printf("%g %g\n", d, (double)f);
}

struct pair {
    int a, b;
};

static void others(void) {
    atomic_bool flag = false;
    printf("%d", atomic_exchange(&flag, true));
    printf("%d ", atomic_load(&flag));
    atomic_flag lock = ATOMIC_FLAG_INIT;
    printf("%d", atomic_flag_test_and_set(&lock));
    printf("%d", atomic_flag_test_and_set(&lock));
    atomic_flag_clear(&lock);
    printf("%d ", atomic_flag_test_and_set_explicit(&lock, memory_order_acquire));
    int array[10];
    for (int i = 0; i < 10; i++) array[i] = i * i;
    _Atomic(int *) pointer = array;
    printf("%d ", *atomic_fetch_add(&pointer, 3));
    printf("%d ", *atomic_load(&pointer));
    printf("%d ", *++pointer);
    int *seen = array;
    printf("%d ", atomic_compare_exchange_strong(&pointer, &seen, NULL));
    printf("%d ", (int)(seen - array));
    _Atomic struct pair both;
    atomic_init(&both, ((struct pair){1, 2}));
    struct pair old = atomic_exchange(&both, ((struct pair){3, 4}));
    struct pair now = atomic_load(&both);
    printf("%d %d %d %d\n", old.a, old.b, now.a, now.b);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acq_rel);
    printf("%d %d\n", atomic_is_lock_free(&pointer), (int)sizeof(_Atomic struct pair));
}

static int fetch_minimum(atomic_int *a, int v) {
    int old = atomic_load(a);
    while (v < old && !atomic_compare_exchange_weak(a, &old, v)) continue;
    return old;
}

static void builtins(void) {
    int v = 10;
    long long w = 1LL << 40;
    printf("%d ", __sync_fetch_and_add(&v, 5));
    printf("%d ", __sync_add_and_fetch(&v, 5));
    printf("%d ", __sync_bool_compare_and_swap(&v, 20, 30));
    printf("%d ", __sync_val_compare_and_swap(&v, 20, 40));
    printf("%d ", __sync_lock_test_and_set(&v, 1));
    __sync_lock_release(&v);
    __sync_synchronize();
    printf("%d %lld ", __atomic_load_n(&v, __ATOMIC_SEQ_CST), __atomic_fetch_nand(&w, 0xff, __ATOMIC_SEQ_CST));
    printf("%lld %d\n", __atomic_sub_fetch(&w, 7, __ATOMIC_ACQ_REL), __atomic_exchange_n(&v, -1, __ATOMIC_RELAXED));
}

int main(void) {
    signed_8(), unsigned_8(), signed_16(), unsigned_16(), signed_32(), unsigned_32(), signed_64(), unsigned_64();
    floating(), others(), builtins();
    atomic_int least = 50;
    for (int i = 0; i < 5; i++) printf("%d ", fetch_minimum(&least, (i * 37 + 20) % 60));
    printf("%d\n", least);
    return 0;
}
