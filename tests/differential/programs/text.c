/* SPDX-License-Identifier: Apache-2.0
 *
 * Text processing: string builder, base64, run-length coding, word count, an expression parser, roman numerals.
 * also-with: --m32
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct builder {
    char *text;
    size_t length, capacity;
};

static void append(struct builder *b, const char *format, ...) {
    va_list list;
    va_start(list, format);
    va_list again;
    va_copy(again, list);
    size_t needed = (size_t)vsnprintf(NULL, 0, format, list);
    va_end(list);
    while (b->length + needed + 1 > b->capacity) b->text = realloc(b->text, b->capacity = b->capacity * 2 + 8);
    vsnprintf(b->text + b->length, needed + 1, format, again);
    va_end(again);
    b->length += needed;
}

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(const unsigned char *data, size_t length, char *out) {
    for (size_t i = 0; i < length; i += 3) {
        unsigned v = (unsigned)data[i] << 16;
        if (i + 1 < length) v |= (unsigned)data[i + 1] << 8;
        if (i + 2 < length) v |= data[i + 2];
        *out++ = alphabet[v >> 18];
        *out++ = alphabet[v >> 12 & 63];
        *out++ = i + 1 < length ? alphabet[v >> 6 & 63] : '=';
        *out++ = i + 2 < length ? alphabet[v & 63] : '=';
    }
    *out = 0;
}

static size_t decode(const char *text, unsigned char *out) {
    size_t length = 0;
    unsigned v = 0, bits = 0;
    for (; *text && *text != '='; text++) {
        v = v << 6 | (unsigned)(strchr(alphabet, *text) - alphabet);
        bits += 6;
        if (bits >= 8) out[length++] = (unsigned char)(v >> (bits -= 8));
    }
    return length;
}

struct parser {
    const char *at;
    const char *error;
};

static long expression(struct parser *p);

static void skip(struct parser *p) {
    while (isspace((unsigned char)*p->at)) p->at++;
}

static long primary(struct parser *p) {
    skip(p);
    if (*p->at == '(') {
        p->at++;
        long v = expression(p);
        skip(p);
        if (*p->at == ')')
            p->at++;
        else
            p->error = "expected )";
        return v;
    }
    if (*p->at == '-') return p->at++, -primary(p);
    if (!isdigit((unsigned char)*p->at)) return p->error = "expected a number", 0;
    char *end;
    long v = strtol(p->at, &end, 0);
    p->at = end;
    return v;
}

static long term(struct parser *p) {
    long v = primary(p);
    for (;;) {
        skip(p);
        char op = *p->at;
        if (op != '*' && op != '/' && op != '%') return v;
        p->at++;
        long right = primary(p);
        if (op == '*')
            v *= right;
        else if (right == 0)
            return p->error = "division by zero", 0;
        else
            v = op == '/' ? v / right : v % right;
    }
}

static long expression(struct parser *p) {
    long v = term(p);
    for (skip(p); *p->at == '+' || *p->at == '-'; skip(p)) {
        if (*p->at++ == '+')
            v += term(p);
        else
            v -= term(p);
    }
    return v;
}

static void evaluate(const char *text) {
    struct parser p = {text, NULL};
    long v = expression(&p);
    skip(&p);
    if (!p.error && *p.at) p.error = "trailing text";
    if (p.error)
        printf("%s: %s at %d\n", text, p.error, (int)(p.at - text));
    else
        printf("%s = %ld\n", text, v);
}

static const char *roman(int n, char *out) {
    static const struct {
        int value;
        const char *digits;
    } parts[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
                 {40, "XL"},  {10, "X"},   {9, "IX"},  {5, "V"},    {4, "IV"},  {1, "I"}};
    *out = 0;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        for (; n >= parts[i].value; n -= parts[i].value) strcat(out, parts[i].digits);
    }
    return out;
}

static void run_lengths(const char *text) {
    while (*text) {
        size_t run = strspn(text, (char[]){*text, 0});
        printf("%zu%c", run, *text);
        text += run;
    }
    printf("\n");
}

int main(void) {
    struct builder b = {0};
    for (int i = 0; i < 20; i++) append(&b, "%d%s", i, i % 3 ? "," : "; ");
    append(&b, "%s|%c|%05.1f", "end", 'x', 2.25);
    printf("%zu %s\n", b.length, b.text);
    free(b.text);
    static const char *samples[] = {"", "f", "fo", "foo", "foob", "fooba", "foobar", "\xff\x80\x01 binary"};
    for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++) {
        char coded[64];
        unsigned char plain[64];
        encode((const unsigned char *)samples[i], strlen(samples[i]), coded);
        size_t length = decode(coded, plain);
        printf("%s %d\n", coded, length == strlen(samples[i]) && memcmp(plain, samples[i], length) == 0);
    }
    evaluate("1 + 2 * 3"), evaluate("(1+2)*3 - -4"), evaluate("0x1f % 7 / (2-2)"), evaluate("2*(3+4)*5"),
        evaluate("7 +"), evaluate("(1"), evaluate("10/3 x");
    char out[32];
    for (int n = 1; n < 4000; n = n * 3 + 1) printf("%s ", roman(n, out));
    printf("\n");
    run_lengths("aaabccddddde");
    return 0;
}
