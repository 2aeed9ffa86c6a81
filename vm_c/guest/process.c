/* SPDX-License-Identifier: Apache-2.0
 *
 * How a process ends: exit and its handlers, abort. Handlers are kept in lists of heap objects, so a program without
 * them pays one pointer of state. Also the environment, which is empty, and errno.
 */
#include "library.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct exit_handler {
    struct exit_handler *next;
    enum { HANDLER_PLAIN, HANDLER_STATUS, HANDLER_ARGUMENT } kind;
    union {
        void (*plain)(void);
        void (*status)(int status, void *argument);
        void (*argument)(void *argument);
    } function;
    void *argument;
};

static struct exit_handler *exit_handlers;
static struct exit_handler *quick_exit_handlers;

static int push(struct exit_handler **list, const struct exit_handler *handler) {
    struct exit_handler *node = __pancam_alloc_hidden(sizeof *node, sizeof(void *));
    *node = *handler;
    __pancam_atomic_begin();
    node->next = *list;
    *list = node;
    __pancam_atomic_end();
    return 0;
}

/* Runs the handlers, last registered first, also those registered meanwhile. */
static void run(struct exit_handler **list, int status) {
    while (__atomic_load_n(list, __ATOMIC_RELAXED) != NULL) { /* others may be registering some */
        __pancam_atomic_begin();
        struct exit_handler *node = *list;
        *list = node->next;
        __pancam_atomic_end();
        struct exit_handler handler = *node;
        __pancam_free(node);
        switch (handler.kind) {
        case HANDLER_PLAIN: handler.function.plain(); break;
        case HANDLER_STATUS: handler.function.status(status, handler.argument); break;
        case HANDLER_ARGUMENT: handler.function.argument(handler.argument); break;
        }
    }
}

int atexit(void (*function)(void)) {
    struct exit_handler handler = {.kind = HANDLER_PLAIN, .function.plain = function};
    return push(&exit_handlers, &handler);
}

int at_quick_exit(void (*function)(void)) {
    struct exit_handler handler = {.kind = HANDLER_PLAIN, .function.plain = function};
    return push(&quick_exit_handlers, &handler);
}

int on_exit(void (*function)(int status, void *argument), void *argument) {
    struct exit_handler handler = {.kind = HANDLER_STATUS, .function.status = function, .argument = argument};
    return push(&exit_handlers, &handler);
}

PROTOTYPE(int, __cxa_atexit, (void (*function)(void *), void *argument, void *module)) {
    struct exit_handler handler = {.kind = HANDLER_ARGUMENT, .function.argument = function, .argument = argument};
    (void)module;
    return push(&exit_handlers, &handler);
}

void exit(int status) {
    run(&exit_handlers, status);
    __pancam_run_destructors();
    __pancam_exit(status & 0xff); /* what a parent process would see */
}

void quick_exit(int status) {
    run(&quick_exit_handlers, status);
    __pancam_exit(status & 0xff);
}

void _exit(int status) { __pancam_exit(status & 0xff); }

void _Exit(int status) { __pancam_exit(status & 0xff); }

void abort(void) { __pancam_abort(); }

/* The environment is empty and stays so: setenv and putenv are not provided. */
static char *no_variables[1];
char **environ = no_variables;

char *getenv(const char *name) {
    (void)name;
    return NULL;
}

char *secure_getenv(const char *name) { return getenv(name); }

#undef errno
int *__errno_location(void) {
    static _Thread_local int number;
    return &number;
}
