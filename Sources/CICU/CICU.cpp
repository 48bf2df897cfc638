#include "CICU.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unicode/currunit.h>
#include <unicode/messagepattern.h>
#include <unicode/msgfmt.h>
#include <unicode/numberformatter.h>
#include <unicode/ucurr.h>
#include <unicode/uvernum.h>

using icu::Formattable;
using icu::Locale;
using icu::MessageFormat;
using icu::MessagePattern;
using icu::StringPiece;
using icu::UnicodeString;

struct sineta_icu_pattern {
    struct Use {
        std::string name;
        sineta_icu_use form;
        int32_t offset;
    };

    std::unique_ptr<MessageFormat> format;
    std::shared_ptr<const std::vector<Use>> uses;
};

struct sineta_icu_money {
    icu::number::LocalizedNumberFormatter formatter;
};

namespace {

void report(sineta_icu_fault *fault, UErrorCode status, int32_t offset = -1) {
    fault->offset = offset;
    fault->word = u_errorName(status);
}

Locale localeOf(const char *tag) {
    UErrorCode status = U_ZERO_ERROR;
    Locale locale = Locale::forLanguageTag(tag, status);
    return U_SUCCESS(status) && !locale.isBogus() ? locale : Locale(tag);
}

int32_t deliver(const UnicodeString &text, char *output, int32_t capacity) {
    std::string bytes;
    text.toUTF8String(bytes);
    int32_t length = static_cast<int32_t>(bytes.size());
    if (length <= capacity) std::memcpy(output, bytes.data(), bytes.size());
    return length;
}

/// The innermost brace that stays open: ICU reports unmatched braces at position 0. Quoting as in
/// UMSGPAT_APOS_DOUBLE_OPTIONAL: an apostrophe before a brace quotes up to the next apostrophe.
int32_t openBrace(const UnicodeString &text) {
    std::vector<int32_t> open;
    bool quoted = false;
    for (int32_t index = 0; index < text.length(); index++) {
        char16_t unit = text[index];
        char16_t next = index + 1 < text.length() ? text[index + 1] : 0;
        if (unit == u'\'' && next == u'\'') {
            index++;
        } else if (unit == u'\'') {
            quoted = !quoted && (next == u'{' || next == u'}');
        } else if (!quoted && unit == u'{') {
            open.push_back(index);
        } else if (!quoted && unit == u'}' && !open.empty()) {
            open.pop_back();
        }
    }
    return open.empty() ? 0 : open.back();
}

sineta_icu_use useOf(const MessagePattern &pattern, const UnicodeString &text, int32_t start) {
    switch (pattern.getPart(start).getArgType()) {
    case UMSGPAT_ARG_TYPE_NONE: return SINETA_USE_PLAIN;
    case UMSGPAT_ARG_TYPE_PLURAL:
    case UMSGPAT_ARG_TYPE_SELECTORDINAL: return SINETA_USE_PLURAL;
    case UMSGPAT_ARG_TYPE_SELECT: return SINETA_USE_SELECT;
    case UMSGPAT_ARG_TYPE_SIMPLE: {
        const MessagePattern::Part &type = pattern.getPart(start + 2);
        return text.tempSubString(type.getIndex(), type.getLength()) == u"number"
            ? SINETA_USE_NUMBER
            : SINETA_USE_OTHER;
    }
    default: return SINETA_USE_OTHER;
    }
}

std::vector<sineta_icu_pattern::Use> usesOf(const MessagePattern &pattern) {
    const UnicodeString &text = pattern.getPatternString();
    std::vector<sineta_icu_pattern::Use> uses;
    for (int32_t index = 0; index < pattern.countParts(); index++) {
        if (pattern.getPartType(index) != UMSGPAT_PART_TYPE_ARG_START) continue;
        const MessagePattern::Part &name = pattern.getPart(index + 1);
        sineta_icu_pattern::Use use;
        pattern.getSubstring(name).toUTF8String(use.name);
        use.form = useOf(pattern, text, index);
        use.offset = text.countChar32(0, pattern.getPart(index).getIndex());
        uses.push_back(std::move(use));
    }
    return uses;
}

}  // namespace

const char *sineta_icu_version(void) { return U_ICU_VERSION; }

sineta_icu_pattern *sineta_icu_pattern_open(
    const char *pattern, int32_t length, const char *locale, sineta_icu_fault *fault) {
    UnicodeString text = UnicodeString::fromUTF8(StringPiece(pattern, length));
    UErrorCode status = U_ZERO_ERROR;
    UParseError place;
    place.offset = 0;
    // Parsed alone first: it names the position, and knows the uses, which MessageFormat hides.
    MessagePattern parsed(text, &place, status);
    if (U_FAILURE(status)) {
        int32_t offset = status == U_UNMATCHED_BRACES ? openBrace(text) : place.offset;
        report(fault, status, text.countChar32(0, offset));
        return nullptr;
    }
    auto handle = std::make_unique<sineta_icu_pattern>();
    handle->uses =
        std::make_shared<const std::vector<sineta_icu_pattern::Use>>(usesOf(parsed));
    handle->format = std::make_unique<MessageFormat>(text, localeOf(locale), place, status);
    if (U_FAILURE(status)) {
        // The syntax is good, so a type or style of an argument is not.
        int32_t offset = 0;
        for (const auto &use : *handle->uses) {
            if (use.form == SINETA_USE_OTHER || use.form == SINETA_USE_NUMBER) {
                offset = use.offset;
                break;
            }
        }
        report(fault, status, offset);
        return nullptr;
    }
    return handle.release();
}

sineta_icu_pattern *sineta_icu_pattern_clone(const sineta_icu_pattern *pattern) {
    auto handle = std::make_unique<sineta_icu_pattern>();
    handle->uses = pattern->uses;
    handle->format.reset(pattern->format->clone());
    return handle->format ? handle.release() : nullptr;
}

void sineta_icu_pattern_close(sineta_icu_pattern *pattern) { delete pattern; }

int32_t sineta_icu_pattern_use_count(const sineta_icu_pattern *pattern) {
    return static_cast<int32_t>(pattern->uses->size());
}

const char *sineta_icu_pattern_use_name(const sineta_icu_pattern *pattern, int32_t index) {
    return (*pattern->uses)[index].name.c_str();
}

sineta_icu_use sineta_icu_pattern_use_form(const sineta_icu_pattern *pattern, int32_t index) {
    return (*pattern->uses)[index].form;
}

int32_t sineta_icu_pattern_use_offset(const sineta_icu_pattern *pattern, int32_t index) {
    return (*pattern->uses)[index].offset;
}

int32_t sineta_icu_pattern_format(
    sineta_icu_pattern *pattern, const char *buffer, const sineta_icu_argument *arguments,
    int32_t count, char *output, int32_t capacity, sineta_icu_fault *fault) {
    std::vector<UnicodeString> names;
    std::vector<Formattable> values;
    names.reserve(count);
    values.reserve(count);
    for (int32_t index = 0; index < count; index++) {
        const sineta_icu_argument &argument = arguments[index];
        names.push_back(UnicodeString::fromUTF8(
            StringPiece(buffer + argument.name_start, argument.name_length)));
        if (argument.is_integer) {
            values.emplace_back(static_cast<int64_t>(argument.integer));
        } else {
            values.emplace_back(UnicodeString::fromUTF8(
                StringPiece(buffer + argument.text_start, argument.text_length)));
        }
    }
    UErrorCode status = U_ZERO_ERROR;
    UnicodeString text;
    pattern->format->format(names.data(), values.data(), count, text, status);
    if (U_FAILURE(status)) {
        report(fault, status);
        return -1;
    }
    return deliver(text, output, capacity);
}

sineta_icu_money *sineta_icu_money_open(
    const char *locale, const char *currency, sineta_icu_fault *fault) {
    UErrorCode status = U_ZERO_ERROR;
    UnicodeString code = UnicodeString::fromUTF8(currency);
    icu::CurrencyUnit unit(code.getTerminatedBuffer(), status);
    int32_t digits = ucurr_getDefaultFractionDigits(unit.getISOCurrency(), &status);
    if (U_FAILURE(status)) {
        report(fault, status);
        return nullptr;
    }
    // As many digits as the currency has at least, and every one that was given: exact, never
    // rounded. 100 is far above what an event may carry.
    auto formatter = icu::number::NumberFormatter::withLocale(localeOf(locale))
                         .unit(unit)
                         .precision(icu::number::Precision::minMaxFraction(digits, 100));
    return new sineta_icu_money{std::move(formatter)};
}

void sineta_icu_money_close(sineta_icu_money *money) { delete money; }

int32_t sineta_icu_money_format(
    const sineta_icu_money *money, const char *amount, int32_t length, char *output,
    int32_t capacity, sineta_icu_fault *fault) {
    UErrorCode status = U_ZERO_ERROR;
    UnicodeString text =
        money->formatter.formatDecimal(StringPiece(amount, length), status).toString(status);
    if (U_FAILURE(status)) {
        report(fault, status);
        return -1;
    }
    return deliver(text, output, capacity);
}
