/* SPDX-License-Identifier: Apache-2.0
 *
 * printf with integers, characters and strings: every flag, width, precision and length.
 * also-with: --m32
 */
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

static volatile int ints[] = {0, 1, -1, 42, -12345, INT_MAX, INT_MIN};

static void with_formats(int v) {
    printf("[%d][%i][%5d][%-5d][%05d][%+d][% d][%.3d][%8.3d][%-8.3d][%+.5d][%.0d]\n", v, v, v, v, v, v, v, v, v, v, v,
           v);
    printf("[%u][%10u][%-10u][%010u][%.12u]\n", (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v);
    printf("[%x][%X][%#x][%#X][%08x][%#10x][%-#10x][%.6x][%#.0x]\n", (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v,
           (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v);
    printf("[%o][%#o][%08o][%.3o][%#.3o]\n", (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v);
    printf("[%hhd][%hd][%hhu][%hx]\n", (signed char)v, (short)v, (unsigned char)v, (unsigned short)v);
}

static void stars(void) {
    for (int width = -6; width <= 6; width += 3) {
        for (int precision = -1; precision < 4; precision += 2) {
            printf("[%*.*d][%*s][%.*s]", width, precision, 7, width, "ab", precision, "wxyz");
        }
        printf("\n");
    }
}

static void strings(void) {
    printf("[%s][%10s][%-10s][%.2s][%10.3s][%-10.0s]\n", "hello", "hello", "hello", "hello", "hello", "hello");
    printf("[%c][%3c][%-3c]%%[%5s]\n", 'A', 'B', 'C', "");
    const char unterminated[3] = {'x', 'y', 'z'};
    printf("[%.3s]\n", unterminated);
    int so_far, total = 0;
    printf("count%n\n", &so_far);
    printf("%d\n", so_far);
    total += printf("%s", "");
    total += printf("four");
    printf("\n%d\n", total);
}

static void lengths(void) {
    printf("[%ld][%lu][%lx]\n", LONG_MAX, ULONG_MAX, 0xabcdL);
    printf("[%lld][%llu][%llx][%llo]\n", LLONG_MIN, ULLONG_MAX, 0x123456789abcdefULL, 0777777777777ULL);
    printf("[%zu][%td][%jd][%zx]\n", (size_t)77, (ptrdiff_t)-5, (intmax_t)-9, (size_t)255);
    printf("[%" PRId8 "][%" PRIu16 "][%" PRIx32 "][%" PRId64 "][%" PRIuMAX "]\n", (int8_t)-8, (uint16_t)65535,
           0xdeadbeefu, (int64_t)-1, (uintmax_t)1);
    printf("[%-20lld][%020lld][%+lld]\n", 1234567890123LL, -1234567890123LL, 5LL);
}

static void buffers(void) {
    char out[16];
    for (size_t size = 0; size < 9; size++) {
        for (size_t i = 0; i < sizeof out; i++) out[i] = '.';
        int needed = snprintf(out, size, "%d|%s", 123, "abc");
        printf("%d:", needed);
        for (size_t i = 0; i < sizeof out; i++) putchar(out[i] ? out[i] : '0');
        putchar('\n');
    }
    printf("%d %s\n", sprintf(out, "%c%c%c", 'x', 'y', 'z'), out);
    printf("%d\n", snprintf(NULL, 0, "%100d", 1));
    fprintf(stdout, "%s %s\n", "to", "stdout");
    fputs("fputs\n", stdout);
    fputc('c', stdout);
    putc('\n', stdout);
    puts("puts");
    fwrite("fwrite\n", 1, 7, stdout);
}

int main(void) {
    for (unsigned i = 0; i < sizeof ints / sizeof *ints; i++) with_formats(ints[i]);
    stars(), strings(), lengths(), buffers();
    return 0;
}
