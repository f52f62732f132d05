#ifdef ARDUINO
#include "../kiln_nn/sums_s8.c"
#else
typedef int kiln_nothing;
#endif
