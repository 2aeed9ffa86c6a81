/* SPDX-License-Identifier: Apache-2.0
 *
 * Classic algorithms: sieve, queens, matrix product, sorts, life, knapsack, permutations, shortest paths.
 * also-with: --m32
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sieve(int limit) {
    char composite[2000] = {0};
    int count = 0, last = 0;
    for (int i = 2; i < limit; i++) {
        if (composite[i]) continue;
        count++, last = i;
        for (int j = i * i; j < limit; j += i) composite[j] = 1;
    }
    printf("primes %d %d\n", count, last);
}

static int queens(int n, int row, unsigned columns, unsigned left, unsigned right) {
    if (row == n) return 1;
    int count = 0;
    for (unsigned free = ((1u << n) - 1) & ~(columns | left | right); free; free &= free - 1) {
        unsigned bit = free & -free;
        count += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

static void matrices(void) {
    enum { N = 9 };
    int a[N][N], b[N][N], c[N][N] = {{0}};
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) a[i][j] = i - j, b[i][j] = i * j % 7;
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];
        }
    }
    for (int i = 0; i < N; i++) printf("%d ", c[i][(i * 5) % N]);
    printf("\n");
}

static void swap(int *a, int *b) {
    int t = *a;
    *a = *b, *b = t;
}

static void quick_sort(int *v, int low, int high) {
    if (low >= high) return;
    int pivot = v[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (v[i] < pivot) i++;
        while (v[j] > pivot) j--;
        if (i <= j) swap(&v[i++], &v[j--]);
    }
    quick_sort(v, low, j), quick_sort(v, i, high);
}

static void sift_down(int *v, int root, int end) {
    for (int child = 2 * root + 1; child < end; child = 2 * root + 1) {
        if (child + 1 < end && v[child + 1] > v[child]) child++;
        if (v[root] >= v[child]) break;
        swap(&v[root], &v[child]);
        root = child;
    }
}

static void heap_sort(int *v, int count) {
    for (int start = count / 2 - 1; start >= 0; start--) sift_down(v, start, count);
    for (int end = count - 1; end > 0; end--) {
        swap(&v[0], &v[end]);
        sift_down(v, 0, end);
    }
}

static void insertion_sort(int *v, int count) {
    for (int i = 1; i < count; i++) {
        for (int j = i; j > 0 && v[j - 1] > v[j]; j--) swap(&v[j - 1], &v[j]);
    }
}

static void sorts(void) {
    int original[50], a[50], b[50], c[50];
    unsigned seed = 17;
    for (int i = 0; i < 50; i++) original[i] = (int)((seed = seed * 69069 + 1) >> 20);
    memcpy(a, original, sizeof a), memcpy(b, original, sizeof b), memcpy(c, original, sizeof c);
    quick_sort(a, 0, 49), insertion_sort(b, 50), heap_sort(c, 50);
    printf("%d %d %d %d %d\n", memcmp(a, b, sizeof a) == 0, memcmp(a, c, sizeof a) == 0, a[0], a[49], a[25]);
}

static void life(void) {
    enum { W = 12, H = 8 };
    char grid[H][W] = {{0}}, next[H][W];
    grid[0][1] = grid[1][2] = grid[2][0] = grid[2][1] = grid[2][2] = 1;
    grid[5][5] = grid[5][6] = grid[5][7] = 1;
    for (int generation = 0; generation < 10; generation++) {
        for (int y = 0; y < H; y++) {
            for (int x = 0; x < W; x++) {
                int around = -grid[y][x];
                for (int d = 0; d < 9; d++) around += grid[(y + d / 3 + H - 1) % H][(x + d % 3 + W - 1) % W];
                next[y][x] = (char)(around == 3 || (around == 2 && grid[y][x]));
            }
        }
        memcpy(grid, next, sizeof grid);
    }
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) putchar(grid[y][x] ? '#' : '.');
        putchar('\n');
    }
}

static void knapsack(void) {
    static const int weight[] = {5, 3, 8, 4, 7, 2, 6}, worth[] = {10, 4, 16, 7, 13, 3, 9};
    int best[31] = {0};
    for (int i = 0; i < 7; i++) {
        for (int w = 30; w >= weight[i]; w--) {
            if (best[w - weight[i]] + worth[i] > best[w]) best[w] = best[w - weight[i]] + worth[i];
        }
    }
    for (int w = 0; w <= 30; w += 3) printf("%d ", best[w]);
    printf("\n");
}

static void paths(void) {
    enum { N = 8 };
    int distance[N][N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            distance[i][j] = i == j ? 0 : (i * 7 + j * 3) % 5 == 0 ? (i + j) % 9 + 1 : INT_MAX / 2;
    }
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                if (distance[i][k] + distance[k][j] < distance[i][j]) distance[i][j] = distance[i][k] + distance[k][j];
            }
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) printf("%d ", distance[i][j] == INT_MAX / 2 ? -1 : distance[i][j]);
    }
    printf("\n");
}

static int edit_distance(const char *a, const char *b) {
    int n = (int)strlen(b), row[32];
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int above = row[j], cost = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < cost) cost = above + 1;
            if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1;
            diagonal = above, row[j] = cost;
        }
    }
    return row[n];
}

int main(void) {
    sieve(2000);
    for (int n = 1; n < 8; n++) printf("%d ", queens(n, 0, 0, 0, 0));
    matrices(), sorts(), life(), knapsack(), paths();
    printf("%d %d\n", edit_distance("kitten", "sitting"), edit_distance("intention", "execution"));
    return 0;
}
