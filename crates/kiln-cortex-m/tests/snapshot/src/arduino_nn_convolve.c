#ifdef ARDUINO
#include "../kiln_nn/convolve.c"
#else
typedef int kiln_nothing;
#endif
