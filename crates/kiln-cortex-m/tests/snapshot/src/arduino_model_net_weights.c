#ifdef ARDUINO
#include "../net_weights.c"
#else
typedef int kiln_nothing;
#endif
