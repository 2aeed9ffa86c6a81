/* SPDX-License-Identifier: Apache-2.0
 *
 * Pointers: arithmetic, comparison, integer round trips, tags in low bits, pointers to pointers, container_of.
 * also-with: --m32
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTAINER_OF(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

struct link {
    struct link *next;
};
struct item {
    int value;
    char name[6];
    struct link link;
    double weight;
};

static uintptr_t tag(void *pointer, unsigned bits) { return (uintptr_t)pointer | bits; }
static void *untag(uintptr_t tagged) { return (void *)(tagged & ~(uintptr_t)7); }

static void arithmetic(void) {
    int array[20];
    for (int i = 0; i < 20; i++) array[i] = i * i;
    int *first = array, *last = array + 20, *middle = &array[10];
    printf("%d %d %d\n", (int)(last - first), (int)(middle - last), (int)((char *)last - (char *)first));
    printf("%d%d%d%d%d\n", first < last, first == array, middle >= last, first != NULL, !first);
    int sum = 0;
    for (int *p = first; p < last; p += 3) sum += *p;
    for (int *p = last - 1; p >= first; p -= 4) {
        sum += *p * 2;
        if (p - first < 4) break;
    }
    printf("%d %d %d %d\n", sum, middle[-3], 2 [array], *(array + 5));
    int matrix[3][4][5];
    for (int i = 0; i < 60; i++) matrix[i / 20][i / 5 % 4][i % 5] = i;
    int(*plane)[5] = matrix[1];
    int(*cube)[4][5] = matrix;
    printf("%d %d %d %d\n", plane[2][3], (*(cube + 2))[1][4], (int)(&matrix[2] - &matrix[0]),
           (int)(&matrix[1][3][4] - &matrix[1][3][0]));
}

static void round_trips(void) {
    long long values[4] = {10, 20, 30, 40};
    uintptr_t address = (uintptr_t)&values[1];
    address += sizeof values[0];
    printf("%lld %d\n", *(long long *)address, (int)(address % sizeof(int)));
    for (unsigned bits = 0; bits < 8; bits += 3) {
        long long *cell = malloc(sizeof *cell);
        *cell = 100 + bits;
        uintptr_t tagged = tag(cell, bits);
        printf("%u %lld %d\n", (unsigned)(tagged & 7), *(long long *)untag(tagged), untag(tagged) == cell);
        free(untag(tagged));
    }
    uintptr_t mixed = (uintptr_t)&values[0] ^ (uintptr_t)&values[3];
    long long *other = (long long *)(mixed ^ (uintptr_t)&values[0]);
    printf("%lld %d\n", *other, other == &values[3]);
    void *slots[2];
    memcpy(slots, &other, sizeof other);
    memcpy(&slots[1], &slots[0], sizeof slots[0]);
    unsigned char bytes[sizeof(void *)];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = ((unsigned char *)&slots[1])[i];
    void *rebuilt;
    for (size_t i = 0; i < sizeof bytes; i++) ((unsigned char *)&rebuilt)[i] = bytes[i];
    printf("%lld\n", *(long long *)rebuilt);
    char block[64];
    uintptr_t aligned = ((uintptr_t)block + 15) & ~(uintptr_t)15;
    *(char *)aligned = 'a';
    printf("%c %d\n", *(char *)aligned, (int)(aligned % 16));
    intptr_t difference = (intptr_t)&values[3] - (intptr_t)&values[0];
    printf("%d\n", (int)difference);
}

static void indirection(void) {
    struct item items[3] = {{1, "one", {NULL}, 1.5}, {2, "two", {NULL}, 2.5}, {3, "three", {NULL}, 3.5}};
    struct link head = {&items[0].link};
    items[0].link.next = &items[2].link;
    items[2].link.next = &items[1].link;
    for (struct link *l = head.next; l; l = l->next) {
        struct item *item = CONTAINER_OF(l, struct item, link);
        printf("%d %s %.1f\n", item->value, item->name, item->weight);
    }
    struct link **place = &head.next;
    while (CONTAINER_OF(*place, struct item, link)->value != 3) place = &(*place)->next;
    *place = (*place)->next;
    for (struct link *l = head.next; l; l = l->next) printf("%d ", CONTAINER_OF(l, struct item, link)->value);
    int value = 5, *p = &value, **pp = &p, ***ppp = &pp;
    ***ppp = 6;
    int other = 7;
    **ppp = &other;
    printf("%d %d %d\n", value, *p, (int)sizeof(***ppp));
    const char *names[] = {"alpha", "beta", "gamma", NULL};
    for (const char **name = names; *name; name++) printf("%c%s ", **name, *name + 2);
    printf("\n");
}

int main(void) {
    arithmetic(), round_trips(), indirection();
    void *nothing = NULL;
    printf("%d %d\n", (uintptr_t)nothing == 0, nothing == (void *)0);
    return 0;
}
