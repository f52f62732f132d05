#include "../net.h"
