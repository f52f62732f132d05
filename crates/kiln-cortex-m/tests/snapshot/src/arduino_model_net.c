#ifdef ARDUINO
#include "../net.c"
#else
typedef int kiln_nothing;
#endif
