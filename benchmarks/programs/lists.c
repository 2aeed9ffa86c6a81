/* SPDX-License-Identifier: Apache-2.0
 *
 * Linked lists in a pool: building, reversing, merge sorting by links, following pointers.
 * Sized so that the slowest runner, LLVM's interpreter, takes a few seconds. ROUNDS can be set from outside, to 0 as
 * well.
 */
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 80
#endif
enum { COUNT = 2000 };
struct node {
    struct node *next;
    int value;
};
static struct node pool[COUNT];

static struct node *reverse(struct node *head) {
    struct node *result = 0;
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
    slow->next = 0;
    return merge(sort(head), sort(second));
}

int main(void) {
    unsigned seed = 1, hash = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct node *head = 0;
        for (int i = 0; i < COUNT; i++) {
            seed = seed * 1664525u + 1013904223u;
            pool[i].value = (int)(seed >> 10);
            pool[i].next = head, head = &pool[i];
        }
        head = sort(reverse(head));
        for (; head; head = head->next) hash = hash * 31 + (unsigned)head->value;
    }
    printf("%u\n", hash);
    return 0;
}
