/* SPDX-License-Identifier: Apache-2.0
 *
 * qsort and bsearch over several element sizes and orders; a stable order made explicit.
 * also-with: --m32
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    char name[12];
    int key;
    short serial;
};

static int comparisons;

static int by_int(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    comparisons++;
    return (x > y) - (x < y);
}
static int by_int_down(const void *a, const void *b) { return by_int(b, a); }
static int by_char(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }
static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }
static int by_record(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->serial - y->serial;
}
static int by_long_long(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

static unsigned state = 12345;
static unsigned next(void) { return state = state * 1103515245u + 12345u, state >> 8; }

static void ints(int count) {
    int *values = malloc((size_t)(count + 1) * sizeof *values);
    unsigned hash = 0;
    for (int i = 0; i < count; i++) values[i] = (int)(next() % 1000) - 500;
    qsort(values, (size_t)count, sizeof *values, by_int);
    for (int i = 0; i < count; i++) hash = hash * 31 + (unsigned)values[i];
    for (int i = 1; i < count; i++) {
        if (values[i - 1] > values[i]) printf("out of order\n");
    }
    qsort(values, (size_t)count, sizeof *values, by_int_down);
    for (int i = 0; i < count; i++) hash = hash * 31 + (unsigned)values[i];
    printf("%d %u\n", count, hash);
    free(values);
}

int main(void) {
    for (int count = 0; count < 70; count += 1 + count / 3) ints(count);
    char text[] = "the quick brown fox";
    qsort(text, strlen(text), 1, by_char);
    printf("%s\n", text);
    const char *words[] = {"pear", "apple", "fig", "banana", "apple", "cherry"};
    qsort(words, 6, sizeof *words, by_text);
    for (int i = 0; i < 6; i++) printf("%s ", words[i]);
    printf("\n");
    struct record records[20];
    memset(records, 0, sizeof records);
    for (int i = 0; i < 20; i++) {
        snprintf(records[i].name, sizeof records[i].name, "r%d", i);
        records[i].key = (int)(next() % 5);
        records[i].serial = (short)i;
    }
    qsort(records, 20, sizeof *records, by_record);
    for (int i = 0; i < 20; i++) printf("%s:%d ", records[i].name, records[i].key);
    printf("\n");
    long long wide[] = {5000000000LL, -1, 7, -5000000000LL, 0, 1LL << 62};
    qsort(wide, 6, sizeof *wide, by_long_long);
    for (int i = 0; i < 6; i++) printf("%lld ", wide[i]);
    printf("\n");
    int sorted[25];
    for (int i = 0; i < 25; i++) sorted[i] = i * 3;
    for (int key = -2; key < 80; key += 4) {
        int *found = bsearch(&key, sorted, 25, sizeof *sorted, by_int);
        printf("%d ", found ? (int)(found - sorted) : -1);
    }
    int key = 1;
    printf("%d %d\n", bsearch(&key, sorted, 0, sizeof *sorted, by_int) == NULL, comparisons > 0);
    return 0;
}
