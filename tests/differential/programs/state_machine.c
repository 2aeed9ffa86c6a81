/* SPDX-License-Identifier: Apache-2.0
 *
 * A large state machine: a tokenizer for a C-like language driven by a switch in a loop, and a table-driven twin.
 * also-with: --m32
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum state {
    START,
    WORD,
    NUMBER,
    FRACTION,
    TEXT,
    ESCAPE,
    SLASH,
    LINE_COMMENT,
    BLOCK_COMMENT,
    BLOCK_STAR,
    OPERATOR,
    STATES
};
static const char *const names[STATES] = {"start", "word",         "number",        "fraction",   "text",    "escape",
                                          "slash", "line comment", "block comment", "block star", "operator"};

struct lexer {
    enum state state;
    int tokens[STATES];
    int line, column, longest, current;
};

static void finish(struct lexer *l, enum state kind) {
    l->tokens[kind]++;
    if (l->current > l->longest) l->longest = l->current;
    l->current = 0;
    l->state = START;
}

static int feed(struct lexer *l, int c) {
    switch (l->state) {
    case START:
        if (isalpha(c) || c == '_')
            l->state = WORD;
        else if (isdigit(c))
            l->state = NUMBER;
        else if (c == '"')
            l->state = TEXT;
        else if (c == '/')
            l->state = SLASH;
        else if (strchr("+-*=<>!&|", c) && c)
            l->state = OPERATOR;
        else if (isspace(c))
            l->current = -1;
        else
            finish(l, OPERATOR);
        return 1;
    case WORD:
        if (isalnum(c) || c == '_') return 1;
        finish(l, WORD);
        return 0;
    case NUMBER:
        if (isdigit(c)) return 1;
        if (c == '.') return l->state = FRACTION, 1;
        finish(l, NUMBER);
        return 0;
    case FRACTION:
        if (isdigit(c)) return 1;
        finish(l, FRACTION);
        return 0;
    case TEXT:
        if (c == '\\')
            l->state = ESCAPE;
        else if (c == '"')
            finish(l, TEXT);
        return 1;
    case ESCAPE: l->state = TEXT; return 1;
    case SLASH:
        if (c == '/') return l->state = LINE_COMMENT, 1;
        if (c == '*') return l->state = BLOCK_COMMENT, 1;
        finish(l, OPERATOR);
        return 0;
    case LINE_COMMENT:
        if (c == '\n') finish(l, LINE_COMMENT);
        return 1;
    case BLOCK_COMMENT:
        if (c == '*') l->state = BLOCK_STAR;
        return 1;
    case BLOCK_STAR:
        if (c == '/')
            finish(l, BLOCK_COMMENT);
        else if (c != '*')
            l->state = BLOCK_COMMENT;
        return 1;
    case OPERATOR:
        if (strchr("=<>&|", c) && c) return 1;
        finish(l, OPERATOR);
        return 0;
    case STATES: break;
    }
    return 1;
}

static const unsigned char transitions[4][4] = {{1, 2, 0, 3}, {3, 1, 2, 0}, {0, 0, 3, 1}, {2, 3, 1, 0}};

static unsigned table_machine(const char *text) {
    unsigned state = 0, visits[4] = {0}, hash = 0;
    for (; *text; text++) {
        state = transitions[state][(unsigned char)*text % 4];
        hash = hash * 5 + ++visits[state];
    }
    return hash;
}

int main(void) {
    static const char *source =
        "int main(void) { // entry\n  double x_1 = 3.25 + 42 / y;\n  /* block ** comment */ puts(\"te\\\"xt\");\n"
        "  if (x_1 >= 10 && !done) x_1 <<= 2;\n  return 0; }\n";
    struct lexer lexer = {.line = 1};
    for (const char *p = source; *p || lexer.state != START; p += *p != 0) {
        while (!feed(&lexer, (unsigned char)*p)) lexer.column++;
        lexer.current++;
        if (*p == '\n') lexer.line++;
        if (!*p && lexer.state != START) break;
    }
    for (int i = 0; i < STATES; i++) printf("%s %d\n", names[i], lexer.tokens[i]);
    printf("%d %d %d %u\n", lexer.line, lexer.column, lexer.longest, table_machine(source));
    return lexer.tokens[WORD];
}
