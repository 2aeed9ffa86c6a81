/* SPDX-License-Identifier: Apache-2.0
 *
 * string.h: copying, comparing, searching, splitting, filling.
 * also-with: --m32
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int sign(int v) { return (v > 0) - (v < 0); }

static long at(const char *base, const char *found) { return found ? (long)(found - base) : -1; }

static void copying(void) {
    char buffer[32];
    memset(buffer, '#', sizeof buffer);
    strcpy(buffer, "hello");
    printf("%s %zu %c\n", buffer, strlen(buffer), buffer[6]);
    strncpy(buffer, "hi", 5);
    printf("%s %d %d %c\n", buffer, buffer[3], buffer[4], buffer[6]);
    strncpy(buffer, "overlong text", 4);
    printf("%.4s\n", buffer);
    strcpy(buffer, "one");
    strcat(buffer, "-two");
    strncat(buffer, "-three", 4);
    printf("%s\n", buffer);
    printf("%s\n", (char *)memcpy(buffer + 3, "ABC", 3) - 3);
    memmove(buffer + 2, buffer, 8);
    printf("%.10s\n", buffer);
    memmove(buffer, buffer + 1, 9);
    printf("%.9s\n", buffer);
    printf("%d\n", (int)(stpcpy(buffer, "stp") - buffer));
    char *copy = strdup("duplicate"), *part = strndup("partial", 4);
    printf("%s %s\n", copy, part);
    free(copy), free(part);
}

static void comparing(void) {
    static const char *words[] = {"", "a", "abc", "abd", "ABC", "abcd", "b", "\xff", "abc\x80"};
    enum { WORDS = sizeof words / sizeof *words };
    for (int i = 0; i < WORDS; i++) {
        for (int j = 0; j < WORDS; j++) {
            printf("%d,%d,%d,%d ", sign(strcmp(words[i], words[j])), sign(strncmp(words[i], words[j], 3)),
                   sign(strcasecmp(words[i], words[j])), sign(strcoll(words[i], words[j])));
        }
        printf("\n");
    }
    printf("%d %d %d\n", sign(memcmp("a\0b", "a\0c", 3)), sign(memcmp("xyz", "xya", 2)),
           sign(memcmp("\x80", "\x7f", 1)));
    printf("%d\n", sign(strncasecmp("HELLO there", "hello WORLD", 6)));
}

static void searching(void) {
    const char *text = "the quick brown fox jumps over the lazy dog";
    printf("%ld %ld %ld\n", at(text, strchr(text, 'q')), at(text, strrchr(text, 'o')), at(text, strchr(text, 'Z')));
    printf("%ld %ld\n", at(text, strchr(text, 0)), at(text, strstr(text, "fox")));
    printf("%ld %ld %ld\n", at(text, strstr(text, "cat")), at(text, strstr(text, "")), at(text, strstr(text, "the l")));
    printf("%zu %zu %zu\n", strspn(text, "eht "), strcspn(text, "xyz"), strspn(text, ""));
    printf("%ld %ld\n", at(text, strpbrk(text, "zyx")), at(text, memchr(text, 'f', 10)));
    printf("%ld %zu %zu\n", at(text, memchr(text, 'f', 30)), strnlen(text, 7), strnlen("ab", 7));
    printf("%ld\n", at(text, strchrnul(text, '!')));
    printf("%ld %ld\n", at("aaab", strstr("aaab", "aab")) >= 0 ? 1L : 0L, at(text, strcasestr(text, "BROWN")));
}

static void splitting(void) {
    char line[] = ",,one,two;three,,four;";
    for (char *word = strtok(line, ",;"); word; word = strtok(NULL, ",;")) printf("<%s>", word);
    char second[] = "a b  c", *save;
    for (char *word = strtok_r(second, " ", &save); word; word = strtok_r(NULL, " ", &save)) printf("<%s>", word);
    char third[] = "x::y:", *rest = third, *field;
    while ((field = strsep(&rest, ":"))) printf("<%s>", field);
    printf("\n");
}

int main(void) {
    copying(), comparing(), searching(), splitting();
    char block[40];
    memset(block, 0, sizeof block);
    memset(block + 3, 0x1ff, 5);
    for (int i = 0; i < 10; i++) printf("%d ", block[i]);
    bzero(block, 6);
    printf("%d %d %s\n", block[5], block[6], strlen(strerror(0)) > 0 ? "message" : "none");
    return 0;
}
