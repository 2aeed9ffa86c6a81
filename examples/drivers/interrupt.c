/* SPDX-License-Identifier: Apache-2.0
 *
 * A device driver that counts the characters it has received and not yet handled. The interrupt handler adds one, the
 * main loop takes one away: a read and a write, and an interrupt between them is lost. The driver interrupt.pml lets
 * the interrupt come at any point of the C code. With -DMASKED the main loop switches interrupts off while it counts.
 */
#include <assert.h>

static volatile int interrupts_on = 1, raised;          /* raised: came while interrupts were off */
static volatile int waiting = 1, received = 1, handled; /* one character is there already */

static void receive(void) {
    waiting = waiting + 1;
    received = received + 1;
}

void interrupt(void) {
    if (interrupts_on)
        receive();
    else
        raised = 1;
}

static void disable(void) {
#ifdef MASKED
    interrupts_on = 0;
#endif
}

static void enable(void) {
    if (raised) {
        raised = 0;
        receive();
    }
    interrupts_on = 1;
}

int main(void) {
    for (int polls = 0; polls < 2; polls++) {
        if (waiting > 0) {
            disable();
            waiting = waiting - 1;
            handled = handled + 1;
            enable();
        }
    }
    interrupts_on = 0; /* nothing comes from here on */
    assert(waiting == received - handled);
    return 0;
}
