// The door to ICU4C, whose MessageFormat with named arguments exists in C++ only:
// https://unicode-org.github.io/icu-docs/apidoc/released/icu4c/classicu_1_1MessageFormat.html
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

/// The version of ICU that is linked, as "72.1".
const char *sineta_icu_version(void);

#ifdef __cplusplus
}
#endif
