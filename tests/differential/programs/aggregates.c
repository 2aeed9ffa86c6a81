/* SPDX-License-Identifier: Apache-2.0
 *
 * Aggregates: flexible array members, nested copies, compound literals, designated and ranged initialisers.
 * also-with: --m32
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct packet {
    unsigned short length;
    char kind;
    int payload[];
};

struct point {
    int x, y;
};
struct segment {
    struct point ends[2];
    const char *label;
};
struct drawing {
    struct segment segments[3];
    union {
        int count;
        char raw[4];
    };
    struct {
        double scale;
        struct point origin;
    } view;
};

static const struct drawing template = {
    .segments = {[2] = {.ends = {[1] = {.y = 9}}, .label = "third"}, [0] = {{{1, 2}, {3, 4}}, "first"}},
    .count = 0x01020304,
    .view = {.origin = {.y = -1, .x = -2}, .scale = 0.5},
};

static int table[10] = {[3] = 30, 40, [8] = 80, [1] = 10};
static char ranged[20] = {[0 ... 4] = 'a', [5 ... 9] = 'b', [12] = 'c'};
static int matrix[][3] = {{1}, {[1] = 5, 6}, {7, 8, 9}};
static const char *words[] = {[2] = "two", [0] = "zero"};
static struct point *anonymous = &(struct point){11, 22};
static int *literal = (int[]){5, 6, 7};

static struct packet *make_packet(int count) {
    struct packet *packet = malloc(sizeof *packet + (size_t)count * sizeof packet->payload[0]);
    packet->length = (unsigned short)count;
    packet->kind = 'k';
    for (int i = 0; i < count; i++) packet->payload[i] = i * 3;
    return packet;
}

static int sum(const int *values, int count) {
    int total = 0;
    for (int i = 0; i < count; i++) total += values[i];
    return total;
}

static struct point moved(struct point p, struct point by) { return (struct point){p.x + by.x, p.y + by.y}; }

static void show(const struct drawing *d) {
    for (int i = 0; i < 3; i++) {
        const struct segment *s = &d->segments[i];
        printf("%s (%d,%d)-(%d,%d)\n", s->label ? s->label : "none", s->ends[0].x, s->ends[0].y, s->ends[1].x,
               s->ends[1].y);
    }
    printf("%d %g %d %d\n", d->raw[1], d->view.scale, d->view.origin.x, d->view.origin.y);
}

int main(void) {
    struct packet *packet = make_packet(7);
    packet = realloc(packet, sizeof *packet + 9 * sizeof(int));
    packet->payload[8] = 100, packet->payload[7] = 50;
    printf("%zu %zu %d\n", sizeof *packet, offsetof(struct packet, payload), sum(packet->payload, 9));
    free(packet);
    struct drawing drawing = template, copies[2];
    drawing.segments[1] = drawing.segments[0];
    drawing.segments[1].ends[0] = moved(drawing.segments[1].ends[1], (struct point){100, .y = 200});
    drawing.segments[1].label = "second";
    copies[0] = copies[1] = drawing;
    copies[0].view.origin = *anonymous;
    copies[0].raw[1] = 77;
    show(&template), show(&copies[0]), show(&copies[1]);
    for (int i = 0; i < 10; i++) printf("%d ", table[i]);
    for (int i = 0; i < 13; i++) printf("%d ", ranged[i]);
    for (int i = 0; i < 9; i++) printf("%d ", matrix[i / 3][i % 3]);
    printf("%s %d %s %zu\n", words[0], words[1] == NULL, words[2], sizeof words / sizeof *words);
    printf("%d %d\n", sum(literal, 3), sum((int[]){1, 2, 3, 4, [6] = 10}, 7));
    for (int i = 0; i < 3; i++) {
        struct point *p = &(struct point){.x = i};
        p->y += i;
        printf("%d %d ", p->x, p->y);
    }
    struct point swap_a = {1, 2}, swap_b = {3, 4}, t = swap_a;
    swap_a = swap_b, swap_b = t;
    printf("%d %d %d\n", swap_a.x, swap_b.y, memcmp(&t, &swap_b, sizeof t));
    struct point zero = {0}, *self = &zero;
    *self = *self;
    char text[8] = "abc", exact[3] = "xyz", braces[] = {"braced"};
    printf("%d %d %d %.3s %zu %s\n", zero.x, text[3], text[7], exact, sizeof braces, (char[]){"literal"});
    struct {
        struct point grid[2][2];
    } nested = {{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}}, other;
    other = nested;
    other.grid[1][0] = nested.grid[0][1];
    printf("%d %d\n", other.grid[1][0].y, nested.grid[1][0].y);
    return 0;
}
