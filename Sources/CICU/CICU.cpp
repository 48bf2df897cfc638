#include "CICU.h"

#include <unicode/uvernum.h>

const char *sineta_icu_version(void) { return U_ICU_VERSION; }
