// The door to ICU4C, whose MessageFormat with named arguments exists in C++ only:
// https://unicode-org.github.io/icu-docs/apidoc/released/icu4c/classicu_1_1MessageFormat.html
// https://unicode-org.github.io/icu-docs/apidoc/released/icu4c/classicu_1_1number_1_1LocalizedNumberFormatter.html
//
// Texts are UTF-8 with a length. Handles are opened and closed in pairs. Nothing here throws.
#pragma once
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/// The version of ICU that is linked, as "72.1".
const char *sineta_icu_version(void);

/// What went wrong: ICU's name of it, and for a broken pattern the position as a count of code
/// points, else -1.
typedef struct {
    int32_t offset;
    const char *word;
} sineta_icu_fault;

/// How a pattern uses an argument.
typedef enum {
    SINETA_USE_PLAIN = 0,
    SINETA_USE_NUMBER = 1,
    SINETA_USE_PLURAL = 2,
    SINETA_USE_SELECT = 3,
    SINETA_USE_OTHER = 4,
} sineta_icu_use;

/// One value for one named argument. Name and text are slices of one buffer, so that the caller
/// pins one piece of memory however many arguments there are.
typedef struct {
    int32_t name_start;
    int32_t name_length;
    int32_t is_integer;
    int32_t text_start;
    int32_t text_length;
    int64_t integer;
} sineta_icu_argument;

typedef struct sineta_icu_pattern sineta_icu_pattern;
typedef struct sineta_icu_money sineta_icu_money;

/// Parses a pattern for a BCP 47 tag. NULL and a fault when it is broken.
sineta_icu_pattern *sineta_icu_pattern_open(
    const char *pattern, int32_t length, const char *locale, sineta_icu_fault *fault);

/// A second handle to the same parsed pattern: a handle may serve one thread at a time, since
/// MessageFormat makes parts of itself at their first use.
sineta_icu_pattern *sineta_icu_pattern_clone(const sineta_icu_pattern *pattern);

void sineta_icu_pattern_close(sineta_icu_pattern *pattern);

/// The uses of arguments in the order in which they stand in the pattern, nested ones too.
int32_t sineta_icu_pattern_use_count(const sineta_icu_pattern *pattern);
const char *sineta_icu_pattern_use_name(const sineta_icu_pattern *pattern, int32_t index);
sineta_icu_use sineta_icu_pattern_use_form(const sineta_icu_pattern *pattern, int32_t index);
int32_t sineta_icu_pattern_use_offset(const sineta_icu_pattern *pattern, int32_t index);

/// Formats into `output` and returns the length of the whole text in bytes, which may be more than
/// `capacity`: then nothing was written. -1 and a fault when a value does not fit its argument.
int32_t sineta_icu_pattern_format(
    sineta_icu_pattern *pattern, const char *buffer, const sineta_icu_argument *arguments,
    int32_t count, char *output, int32_t capacity, sineta_icu_fault *fault);

/// A formatter of amounts in one currency, which any number of threads may share.
sineta_icu_money *sineta_icu_money_open(
    const char *locale, const char *currency, sineta_icu_fault *fault);

void sineta_icu_money_close(sineta_icu_money *money);

/// Formats a decimal given as text, digit for digit. Output as above.
int32_t sineta_icu_money_format(
    const sineta_icu_money *money, const char *amount, int32_t length, char *output,
    int32_t capacity, sineta_icu_fault *fault);

#ifdef __cplusplus
}
#endif
