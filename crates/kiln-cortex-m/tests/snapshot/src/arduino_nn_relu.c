#ifdef ARDUINO
#include "../kiln_nn/relu.c"
#else
typedef int kiln_nothing;
#endif
