/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers, environment and the rest of stdlib that is deterministic; command line of a program without
 * arguments. also-with: --m32
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int initialised_once(void) {
    static int ready;
    if (!ready) ready = 17;
    return ready++;
}

int main(int argc, char **argv) {
    printf("%d %d %d\n", argc, argv[0] != NULL, argv[argc] == NULL);
    srand(7);
    int first = rand(), second = rand();
    srand(7);
    int again = rand();
    printf("%d %d %d\n", again == first, rand() == second, first >= 0 && first <= RAND_MAX);
    printf("%d\n", getenv("A_NAME_THAT_NOBODY_SETS_PANCAM") == NULL);
    assert(argc == 1);
    errno = 0;
    long v = strtol("99999999999999999999999", NULL, 10);
    printf("%d %d\n", v == LONG_MAX, errno == ERANGE);
    printf("%d ", initialised_once());
    printf("%d\n", initialised_once());
    printf("%d\n", CHAR_BIT);
    fprintf(stderr, "to standard error\n");
    perror("prefix");
    fflush(stdout);
    char *text = strdup("text");
    char *longer = strcat(strcpy(malloc(20), text), "-more");
    printf("%s\n", longer);
    free(text), free(longer);
    if (argc > 100) abort();
    _Exit(fflush(stdout) == 0 ? 23 : 24);
}
