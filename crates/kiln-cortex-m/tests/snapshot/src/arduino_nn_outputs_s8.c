#ifdef ARDUINO
#include "../kiln_nn/outputs_s8.c"
#else
typedef int kiln_nothing;
#endif
