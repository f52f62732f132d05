#ifdef ARDUINO
#include "../kiln_nn/elementwise_add.c"
#else
typedef int kiln_nothing;
#endif
