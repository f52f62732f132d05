#ifdef ARDUINO
#include "../kiln_nn/convolve_s8.c"
#else
typedef int kiln_nothing;
#endif
