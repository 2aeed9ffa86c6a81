/* Addresses of library functions in tables, and leaving a recursion by longjmp. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
typedef double (*F)(double);
F table[] = {sin, cos, sqrt};
double (*two)(double, double) = pow;
static jmp_buf b;
static int depth(int n) {
    if (n == 0) longjmp(b, 7);
    return depth(n - 1) + 1;
}
int main(void) {
    F f = tan;
    for (int i = 0; i < 3; i++) printf("%.6f\n", table[i](0.5));
    printf("%.4f %.4f\n", f(1.0), two(2, 10));
    volatile int k = 0;
    int r = setjmp(b);
    k++;
    if (!r) depth(5);
    printf("%d %d\n", r, k);
    return 0;
}
