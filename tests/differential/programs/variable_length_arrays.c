/* SPDX-License-Identifier: Apache-2.0
 *
 * Variable-length arrays in one and two dimensions, in loops and as parameters; alloca.
 * also-with: --m32
 */
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static unsigned sum_matrix(int rows, int columns, int matrix[rows][columns]) {
    unsigned sum = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) sum = sum * 7 + (unsigned)matrix[i][j];
    }
    return sum;
}

static unsigned fill(int n) {
    unsigned hash = 0;
    for (int size = 1; size <= n; size++) {
        unsigned row[size];
        for (int i = 0; i < size; i++) row[i] = (unsigned)(i * size);
        for (int i = 0; i < size; i++) hash = hash * 17 + row[i];
        if (size % 5 == 0) continue;
        hash += (unsigned)sizeof row;
    }
    return hash;
}

static void reverse(const char *text, char *out) {
    size_t length = strlen(text);
    char copy[length + 1];
    for (size_t i = 0; i < length; i++) copy[i] = text[length - 1 - i];
    copy[length] = 0;
    strcpy(out, copy);
}

static int nested(int depth) {
    int local[depth + 1];
    local[depth] = depth;
    if (depth > 0)
        local[0] = nested(depth - 1);
    else
        local[0] = 1;
    return local[0] + local[depth] * 2;
}

static long chunks(int n) {
    long total = 0;
    struct node {
        struct node *next;
        int value;
    } *head = NULL;
    for (int i = 0; i < n; i++) {
        struct node *node = alloca(sizeof *node);
        node->value = i * i;
        node->next = head;
        head = node;
    }
    for (; head; head = head->next) total = total * 3 % 1000003 + head->value;
    return total;
}

static int jump_out(int n) {
    int tries = 0;
again:;
    int area[n + tries];
    area[n + tries - 1] = tries;
    if (++tries < 10) goto again;
    return area[n + tries - 2] + (int)(sizeof area / sizeof *area);
}

int main(void) {
    for (int n = 1; n < 6; n++) {
        int matrix[n][n + 2];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n + 2; j++) matrix[i][j] = i * 10 + j;
        }
        printf("%u %zu %zu\n", sum_matrix(n, n + 2, matrix), sizeof matrix, sizeof matrix[0]);
    }
    printf("%u\n", fill(40));
    char out[32];
    reverse("variable length", out);
    printf("%s\n", out);
    printf("%d %ld %d\n", nested(30), chunks(50), jump_out(3));
    int n = 4;
    typedef int vector[n];
    n = 9;
    vector v;
    for (int i = 0; i < 4; i++) v[i] = i + n;
    int(*pointer)[n] = (int(*)[n])alloca(sizeof(int) * 3 * (size_t)n);
    for (int i = 0; i < 3 * n; i++) pointer[i / n][i % n] = i;
    printf("%zu %d %d %d\n", sizeof v, v[3], pointer[2][0], (*(pointer + 1))[8]);
    double cube[2][n - 6][2];
    for (int i = 0; i < 12; i++) cube[i / 6][i / 2 % 3][i % 2] = i / 4.0;
    printf("%.2f %.2f %zu\n", cube[1][2][1], cube[0][1][1], sizeof cube);
    return 0;
}
