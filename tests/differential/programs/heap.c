/* SPDX-License-Identifier: Apache-2.0
 *
 * Heap: malloc, calloc, realloc and aligned_alloc under a long random sequence; lists and a growing hash table.
 * also-with: --m32
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned state = 2463534242u;
static unsigned next(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static void stress(void) {
    enum { SLOTS = 24, ROUNDS = 600 };
    unsigned char *blocks[SLOTS] = {0};
    size_t sizes[SLOTS] = {0};
    unsigned wrong = 0, hash = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned slot = next() % SLOTS;
        for (size_t i = 0; i < sizes[slot]; i++) wrong += blocks[slot][i] != (unsigned char)(slot * 7 + i);
        size_t size = next() % 90;
        if (next() % 4 == 0) {
            free(blocks[slot]);
            blocks[slot] = NULL, size = 0;
        } else if (blocks[slot] == NULL && next() % 2) {
            blocks[slot] = calloc(size + 1, 1);
            for (size_t i = 0; i <= size; i++) wrong += blocks[slot][i] != 0;
        } else {
            blocks[slot] = realloc(blocks[slot], size + 1);
        }
        for (size_t i = 0; i < size; i++) blocks[slot][i] = (unsigned char)(slot * 7 + i);
        sizes[slot] = size;
        hash = hash * 31 + (unsigned)size;
    }
    for (int i = 0; i < SLOTS; i++) free(blocks[i]);
    printf("%u %u\n", wrong, hash);
}

struct node {
    struct node *next;
    int value;
};

static struct node *push(struct node *head, int value) {
    struct node *node = malloc(sizeof *node);
    *node = (struct node){head, value};
    return node;
}

static struct node *reverse(struct node *head) {
    struct node *result = NULL;
    while (head) {
        struct node *next = head->next;
        head->next = result, result = head, head = next;
    }
    return result;
}

static struct node *merge(struct node *a, struct node *b) {
    struct node start, *tail = &start;
    while (a && b) {
        struct node **least = a->value <= b->value ? &a : &b;
        tail = tail->next = *least;
        *least = (*least)->next;
    }
    tail->next = a ? a : b;
    return start.next;
}

static struct node *sort(struct node *head) {
    if (!head || !head->next) return head;
    struct node *slow = head, *fast = head->next;
    while (fast && fast->next) slow = slow->next, fast = fast->next->next;
    struct node *second = slow->next;
    slow->next = NULL;
    return merge(sort(head), sort(second));
}

static void lists(void) {
    struct node *head = NULL;
    for (int i = 0; i < 60; i++) head = push(head, (int)(next() % 500));
    head = sort(reverse(head));
    while (head) {
        struct node *next = head->next;
        printf("%d ", head->value);
        free(head);
        head = next;
    }
    printf("\n");
}

struct entry {
    char *key;
    int value;
};
struct map {
    struct entry *entries;
    size_t capacity, count;
};

static size_t hash_text(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static struct entry *find(const struct map *map, const char *key) {
    size_t at = hash_text(key) & (map->capacity - 1);
    while (map->entries[at].key && strcmp(map->entries[at].key, key) != 0) at = (at + 1) & (map->capacity - 1);
    return &map->entries[at];
}

static void grow(struct map *map) {
    struct map bigger = {calloc(map->capacity * 2, sizeof *map->entries), map->capacity * 2, map->count};
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->entries[i].key) *find(&bigger, map->entries[i].key) = map->entries[i];
    }
    free(map->entries);
    *map = bigger;
}

static void add(struct map *map, const char *key, int value) {
    if (map->count * 2 >= map->capacity) grow(map);
    struct entry *entry = find(map, key);
    if (!entry->key) {
        entry->key = strcpy(malloc(strlen(key) + 1), key);
        map->count++;
    }
    entry->value += value;
}

static void maps(void) {
    struct map map = {calloc(4, sizeof(struct entry)), 4, 0};
    for (int i = 0; i < 300; i++) {
        char key[16];
        snprintf(key, sizeof key, "key%u", next() % 70);
        add(&map, key, i);
    }
    long total = 0;
    for (int i = 0; i < 75; i++) {
        char key[16];
        snprintf(key, sizeof key, "key%d", i);
        struct entry *entry = find(&map, key);
        printf("%d ", entry->key ? entry->value : -1);
        total += entry->value;
    }
    printf("\n%zu %zu %ld\n", map.count, map.capacity, total);
    for (size_t i = 0; i < map.capacity; i++) free(map.entries[i].key);
    free(map.entries);
}

int main(void) {
    stress(), lists(), maps();
    void *aligned = aligned_alloc(64, 128), *empty = malloc(0), *fresh = realloc(NULL, 10);
    int *zeroed = calloc(5, sizeof *zeroed);
    printf("%d %d %d\n", (int)((uintptr_t)aligned % 64), fresh != NULL, zeroed[4]);
    free(aligned), free(empty), free(fresh), free(zeroed), free(NULL);
    void *memory = NULL;
    printf("%d ", posix_memalign(&memory, 32, 100));
    printf("%d\n", (int)((uintptr_t)memory % 32));
    free(memory);
    return 0;
}
