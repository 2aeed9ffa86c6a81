/* SPDX-License-Identifier: Apache-2.0
 *
 * string.h and ctype.h against glibc's: random contents, alignments, lengths and overlaps.
 */
#include "harness.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

GUEST(memcpy);
GUEST(memmove);
GUEST(mempcpy);
GUEST(memset);
GUEST(memcmp);
GUEST(memchr);
GUEST(memrchr);
GUEST(memmem);
GUEST(memccpy);
GUEST(strlen);
GUEST(strnlen);
GUEST(strcpy);
GUEST(stpcpy);
GUEST(strncpy);
GUEST(stpncpy);
GUEST(strcat);
GUEST(strncat);
GUEST(strcmp);
GUEST(strncmp);
GUEST(strcasecmp);
GUEST(strncasecmp);
GUEST(strchr);
GUEST(strrchr);
GUEST(strchrnul);
GUEST(strstr);
GUEST(strcasestr);
GUEST(strspn);
GUEST(strcspn);
GUEST(strpbrk);
GUEST(strtok_r);
GUEST(strsep);
GUEST(strdup);
GUEST(strndup);
GUEST(strerror);
GUEST(free);
GUEST(ffs);
GUEST(ffsll);
GUEST(__ctype_b_loc);
GUEST(__ctype_tolower_loc);
GUEST(__ctype_toupper_loc);
GUEST(isalnum);
GUEST(isalpha);
GUEST(isblank);
GUEST(iscntrl);
GUEST(isdigit);
GUEST(isgraph);
GUEST(islower);
GUEST(isprint);
GUEST(ispunct);
GUEST(isspace);
GUEST(isupper);
GUEST(isxdigit);
GUEST(tolower);
GUEST(toupper);

enum { AREA = 160 };

static int sign(int number) { return (number > 0) - (number < 0); }

static void fill(char *left, char *right) {
    for (int i = 0; i < AREA; i++) left[i] = right[i] = (char)random_bits();
}

static void check_memory(void) {
    _Alignas(16) char host[AREA], guest[AREA];
    size_t to = random_below(40), from = random_below(40), count = random_below(80);
    fill(host, guest);
    memmove(host + to, host + from, count);
    EXPECT(guest_memmove(guest + to, guest + from, count) == guest + to, "memmove result");
    EXPECT(memcmp(host, guest, AREA) == 0, "memmove %zu %zu %zu", to, from, count);
    fill(host, guest);
    memcpy(host + to, host + 80 + from / 2, count / 2);
    EXPECT(guest_memcpy(guest + to, guest + 80 + from / 2, count / 2) == guest + to, "memcpy result");
    EXPECT(memcmp(host, guest, AREA) == 0, "memcpy %zu %zu %zu", to, from, count);
    int value = (int)random_bits();
    memset(host + to, value, count);
    EXPECT(guest_memset(guest + to, value, count) == guest + to, "memset result");
    EXPECT(memcmp(host, guest, AREA) == 0, "memset %zu %zu", to, count);
    EXPECT(guest_mempcpy(guest, guest + 80, count) == guest + count, "mempcpy");
    fill(host, guest);
    value = host[random_below(AREA)];
    EXPECT(memchr(host + to, value, count) == guest_memchr(host + to, value, count), "memchr");
    EXPECT(memrchr(host + to, value, count) == guest_memrchr(host + to, value, count), "memrchr");
    EXPECT(memmem(host, AREA, host + to, count) == guest_memmem(host, AREA, host + to, count), "memmem");
    guest[to + count / 2] ^= (char)random_below(2);
    EXPECT(sign(memcmp(host, guest, AREA)) == sign(guest_memcmp(host, guest, AREA)), "memcmp");
    char *end = memccpy(host, host + 80, value, count), *guest_end = guest_memccpy(guest, guest + 80, value, count);
    EXPECT((end == NULL) == (guest_end == NULL) && (end == NULL || end - host == guest_end - guest), "memccpy");
}

/* Few letters, so that matches happen. */
static void random_text(char *text, unsigned limit) {
    unsigned length = random_below(limit);
    for (unsigned i = 0; i < length; i++) text[i] = "aabAB,c\xe4"[random_below(8)];
    text[length] = '\0';
}

static void check_comparison_and_search(void) {
    char left[64], right[64], set[8];
    size_t count = random_below(20);
    int wanted = "abc,z\xe4"[random_below(7)];
    random_text(left, 40);
    random_text(right, random_below(2) ? 4 : 40);
    random_text(set, 5);
    if (random_below(3) == 0) strcpy(right, left);
    EXPECT(strlen(left) == guest_strlen(left), "strlen");
    EXPECT(strnlen(left, count) == guest_strnlen(left, count), "strnlen");
    EXPECT(sign(strcmp(left, right)) == sign(guest_strcmp(left, right)), "strcmp %s %s", left, right);
    EXPECT(sign(strncmp(left, right, count)) == sign(guest_strncmp(left, right, count)), "strncmp %s %s", left, right);
    EXPECT(sign(strcasecmp(left, right)) == sign(guest_strcasecmp(left, right)), "strcasecmp %s %s", left, right);
    EXPECT(sign(strncasecmp(left, right, count)) == sign(guest_strncasecmp(left, right, count)), "strncasecmp");
    EXPECT(strchr(left, wanted) == guest_strchr(left, wanted), "strchr %s", left);
    EXPECT(strrchr(left, wanted) == guest_strrchr(left, wanted), "strrchr %s", left);
    EXPECT(strchrnul(left, wanted) == guest_strchrnul(left, wanted), "strchrnul %s", left);
    EXPECT(strstr(left, right) == guest_strstr(left, right), "strstr %s %s", left, right);
    EXPECT(strcasestr(left, right) == guest_strcasestr(left, right), "strcasestr %s %s", left, right);
    EXPECT(strspn(left, set) == guest_strspn(left, set), "strspn %s %s", left, set);
    EXPECT(strcspn(left, set) == guest_strcspn(left, set), "strcspn %s %s", left, set);
    EXPECT(strpbrk(left, set) == guest_strpbrk(left, set), "strpbrk %s %s", left, set);
}

#define COMPARE_COPY(...)                                                                                              \
    do {                                                                                                               \
        memset(host, '#', sizeof host), memset(guest, '#', sizeof guest);                                              \
        strcpy(host, start), strcpy(guest, start);                                                                     \
        __VA_ARGS__;                                                                                                   \
        EXPECT(memcmp(host, guest, sizeof host) == 0, "%s %s %zu", start, text, count);                                \
    } while (0)

static void check_copies(void) {
    char start[32], text[32], host[96], guest[96];
    size_t count = random_below(40);
    random_text(start, 20);
    random_text(text, 30);
    COMPARE_COPY(strcpy(host, text), guest_strcpy(guest, text));
    COMPARE_COPY(EXPECT(stpcpy(host, text) - host == guest_stpcpy(guest, text) - guest, "stpcpy"));
    COMPARE_COPY(strncpy(host, text, count), guest_strncpy(guest, text, count));
    COMPARE_COPY(EXPECT(stpncpy(host, text, count) - host == guest_stpncpy(guest, text, count) - guest, "stpncpy"));
    COMPARE_COPY(strcat(host, text), guest_strcat(guest, text));
    COMPARE_COPY(strncat(host, text, count), guest_strncat(guest, text, count));
    char *copy = guest_strdup(text), *part = guest_strndup(text, count);
    EXPECT(strcmp(copy, text) == 0 && __pancam_object_size(copy) == strlen(text) + 1, "strdup");
    EXPECT(strncmp(part, text, count) == 0 && strlen(part) == strnlen(text, count), "strndup");
    guest_free(copy);
    guest_free(part);
}

static void check_tokens(void) {
    char host[64], guest[64], *rest = NULL, *guest_rest = NULL;
    random_text(host, 40);
    memcpy(guest, host, sizeof host);
    for (char *at = host, *guest_at = guest;; at = NULL, guest_at = NULL) {
        const char *separators = random_below(2) ? ",b" : ",";
        char *token = strtok_r(at, separators, &rest), *guest_token = guest_strtok_r(guest_at, separators, &guest_rest);
        EXPECT((token == NULL) == (guest_token == NULL), "strtok_r");
        if (token == NULL || guest_token == NULL) break;
        EXPECT(token - host == guest_token - guest && strcmp(token, guest_token) == 0, "strtok_r %s", token);
    }
    random_text(host, 40);
    memcpy(guest, host, sizeof host);
    rest = host, guest_rest = guest;
    while (rest != NULL) {
        char *token = strsep(&rest, ",b"), *guest_token = guest_strsep(&guest_rest, ",b");
        EXPECT(strcmp(token, guest_token) == 0 && (rest == NULL) == (guest_rest == NULL), "strsep %s", token);
    }
}

#define SAME_CLASS(function) EXPECT(!function(c) == !guest_##function(c), #function "(%d)", c)

static void check_characters(void) {
    for (int c = -128; c < 256; c++) {
        EXPECT((*__ctype_b_loc())[c] == (*guest___ctype_b_loc())[c], "class of %d", c);
        EXPECT((*__ctype_tolower_loc())[c] == (*guest___ctype_tolower_loc())[c], "lower of %d", c);
        EXPECT((*__ctype_toupper_loc())[c] == (*guest___ctype_toupper_loc())[c], "upper of %d", c);
    }
    for (int c = -1; c < 256; c++) {
        SAME_CLASS(isalnum);
        SAME_CLASS(isalpha);
        SAME_CLASS(isblank);
        SAME_CLASS(iscntrl);
        SAME_CLASS(isdigit);
        SAME_CLASS(isgraph);
        SAME_CLASS(islower);
        SAME_CLASS(isprint);
        SAME_CLASS(ispunct);
        SAME_CLASS(isspace);
        SAME_CLASS(isupper);
        SAME_CLASS(isxdigit);
        EXPECT(tolower(c) == guest_tolower(c) && toupper(c) == guest_toupper(c), "case of %d", c);
    }
}

void test_string(unsigned rounds) {
    for (unsigned i = 0; i < rounds; i++) {
        check_memory();
        check_comparison_and_search();
        check_copies();
        check_tokens();
        int bits = (int)(random_bits() << random_below(64));
        EXPECT(ffs(bits) == guest_ffs(bits) && ffsll(bits) == guest_ffsll(bits), "ffs(%d)", bits);
    }
    check_characters();
    for (int i = -3; i < 200; i++) EXPECT(strcmp(strerror(i), guest_strerror(i)) == 0, "%d: %s", i, guest_strerror(i));
}
