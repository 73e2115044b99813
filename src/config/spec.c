// spec.c - the meaning of spec tables: checking and values. tac__spec_parse is the one function
// that turns the text of a scalar into a value; the check, the getters and the defaults all use it.
#include "config/spec_parts.h"
#include "base/node.h"
#include "base/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- scalars --------------------------------------------------------------------------------

typedef tac__parsed parsed;

bool tac__spec_scalar(tac__kind kind)
{
    return kind > TAC__KIND_ANY && kind < TAC__KIND_LIST;
}

static const char *describe(tac__kind kind)
{
    static const char *const texts[] = {
        [TAC__KIND_ANY] = "a value",
        [TAC__KIND_TEXT] = "text",
        [TAC__KIND_NAME] = "a name (letters, digits and '_')",
        [TAC__KIND_WORD] = "a word",
        [TAC__KIND_PATTERN] = "a pattern",
        [TAC__KIND_PATH] = "the name of a file",
        [TAC__KIND_BOOL] = "true or false",
        [TAC__KIND_INTEGER] = "a whole number",
        [TAC__KIND_NUMBER] = "a number",
        [TAC__KIND_TIME] = "a time such as '4 ms'",
        [TAC__KIND_PERIOD] = "a period such as '4 ms' or '250 Hz'",
        [TAC__KIND_RATE] = "a rate in Hz",
        [TAC__KIND_LIST] = "a list",
        [TAC__KIND_TABLE] = "a map",
        [TAC__KIND_MAP] = "a map",
        [TAC__KIND_EITHER] = "a value",
    };
    return texts[kind];
}

static tac_status fail_text(const tac__key *key, const char *text, bool quoted, tac_error *err)
{
    tac__fail(err, TAC_E_TYPE, "expected %s", describe(key->kind));
    if (key->unit && strcmp(key->unit, "1"))
        tac__error_append(err, " in %s", key->unit);
    else if (key->unit)
        tac__error_append(err, " such as 0.01 or '1 %%'");
    tac__error_append(err, quoted ? ", found the text '%s' in quotes" : ", found '%s'", text);
    return TAC_E_TYPE;
}

static size_t count_digits(const char *c)
{
    return strspn(c, "0123456789");
}

// The length of the number at the start of `text`, 0 if there is none. As YAML's core schema:
// 1, -1.5, .5, 5., 1e-3.
static size_t number_length(const char *text)
{
    const char *c = text + (*text == '+' || *text == '-');
    const size_t whole = count_digits(c);
    c += whole;
    if (*c == '.') {
        const size_t fraction = count_digits(c + 1);
        if (whole + fraction == 0)
            return 0;
        c += 1 + fraction;
    } else if (whole == 0) {
        return 0;
    }
    if (*c == 'e' || *c == 'E') {
        const size_t sign = c[1] == '+' || c[1] == '-', digits = count_digits(c + 1 + sign);
        c += digits ? 1 + sign + digits : 0;
    }
    return (size_t)(c - text);
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strcmp(text, *words) == 0)
            return true;
    }
    return false;
}

static tac_status check_bounds(const tac__key *key, const char *text, double x, tac_error *err)
{
    if ((key->flags & TAC__POSITIVE) && x <= 0.0)
        return tac__fail(err, TAC_E_RANGE, "%s is out of range: must be above 0", text);
    const bool unbounded = key->min == 0.0 && key->max == 0.0;
    if (unbounded || x != x || (x >= key->min && x <= key->max))
        return TAC_OK;
    char min[TAC__NUMBER_TEXT], max[TAC__NUMBER_TEXT];
    tac__number_print(key->min, min);
    tac__number_print(key->max, max);
    tac__fail(err, TAC_E_RANGE, "%s is out of range: must be ", text);
    if (key->max == HUGE_VAL)
        tac__error_append(err, "at least %s", min);
    else if (key->min == -HUGE_VAL)
        tac__error_append(err, "at most %s", max);
    else if (key->min == key->max)
        tac__error_append(err, "%s", min);
    else
        tac__error_append(err, "from %s to %s", min, max);
    return TAC_E_RANGE;
}

static tac_status parse_number(const tac__key *key, const char *text, double *x, tac_error *err)
{
    static const char *const infinities[] = {".inf", ".Inf", ".INF", NULL};
    static const char *const nans[] = {".nan", ".NaN", ".NAN", NULL};
    const bool minus = *text == '-';
    const bool infinite = is_one_of(text + (minus || *text == '+'), infinities);
    if (infinite || is_one_of(text, nans)) {
        if (!(key->flags & (infinite ? TAC__INFINITE : TAC__NAN)))
            return tac__fail(err, TAC_E_RANGE, "'%s' is not allowed here", text);
        *x = !infinite ? (double)NAN : minus ? -HUGE_VAL : HUGE_VAL;
    } else {
        const size_t n = number_length(text);
        const char *unit = text + n + strspn(text + n, " ");
        if (n == 0 || (*unit && !key->unit))
            return fail_text(key, text, false, err);
        const char *end;
        *x = tac__number_parse(text, &end);
        if (*unit)
            TAC_TRY(tac__quantity_parse(text, key->unit, x, err));
        if (!isfinite(*x))
            return tac__fail(err, TAC_E_RANGE, "'%s' is too large for a number", text);
    }
    return check_bounds(key, text, *x, err);
}

static tac_status parse_integer(const tac__key *key, const char *text, int64_t *i, tac_error *err)
{
    const bool minus = *text == '-';
    const char *c = text + (minus || *text == '+');
    const int base = strncmp(c, "0x", 2) == 0 ? 16 : 10;
    c += base == 16 ? 2 : 0;
    const size_t digits = strspn(c, base == 16 ? "0123456789abcdefABCDEF" : "0123456789");
    if (digits == 0 || c[digits])
        return fail_text(key, text, false, err);
    int64_t total = 0;
    for (; *c; c++) {
        const int digit = *c <= '9' ? *c - '0' : (*c | 0x20) - 'a' + 10;
        if (__builtin_mul_overflow(total, (int64_t)base, &total) ||
            __builtin_add_overflow(total, minus ? -digit : digit, &total))
            return tac__fail(err, TAC_E_RANGE, "'%s' is too large for a whole number", text);
    }
    *i = total;
    return check_bounds(key, text, (double)total, err);
}

static tac_status parse_rate(const tac__key *key, const char *text, tac_time *t_us, tac_error *err)
{
    static const char *const units[] = {"", "Hz", "kHz", NULL};
    const size_t n = number_length(text);
    const char *unit = text + n + strspn(text + n, " ");
    char rate[64];
    const int length = snprintf(rate, sizeof rate, "%.*s %s", (int)n, text, *unit ? unit : "Hz");
    if (n == 0 || !is_one_of(unit, units) || length >= (int)sizeof rate)
        return fail_text(key, text, false, err);
    TAC_TRY(tac_period_parse(rate, t_us, err));
    return check_bounds(key, text, 1e6 / (double)*t_us, err);
}

static tac_status parse_word(const tac__key *key, const char *text, size_t *position,
                             tac_error *err)
{
    tac__nearest nearest = tac__nearest_begin(text);
    for (size_t i = 0; key->words[i]; i++) {
        if (strcmp(text, key->words[i]) == 0) {
            *position = i;
            return TAC_OK;
        }
        tac__nearest_offer(&nearest, key->words[i]);
    }
    tac__fail(err, TAC_E_NAME, "unknown word '%s'; ", text);
    if (nearest.best)
        tac__error_append(err, "did you mean '%s'?", nearest.best);
    else
        tac__error_append(err, "expected ");
    for (size_t i = 0; !nearest.best && key->words[i]; i++)
        tac__error_append(err, "%s%s", i == 0 ? "one of " : ", ", key->words[i]);
    if (key->no_bool && (!strcmp(text, "true") || !strcmp(text, "false")))
        tac__error_append(err, "; %s", key->no_bool);
    return TAC_E_NAME;
}

// The value of a scalar of kind `key`; errors do not have a place yet.
tac_status tac__spec_parse(const tac__key *key, const char *text, bool quoted, parsed *v,
                           tac_error *err)
{
    static const char *const bools[] = {"true", "false", NULL};
    const bool number = key->kind == TAC__KIND_INTEGER || key->kind == TAC__KIND_NUMBER ||
                        key->kind == TAC__KIND_RATE;
    if (quoted && (number || key->kind == TAC__KIND_BOOL))
        return fail_text(key, text, quoted, err);
    bool good = true;
    switch (key->kind) {
    case TAC__KIND_INTEGER:
        return parse_integer(key, text, &v->integer, err);
    case TAC__KIND_NUMBER:
        return parse_number(key, text, &v->number, err);
    case TAC__KIND_TIME:
        return tac_time_parse(text, &v->t_us, err);
    case TAC__KIND_PERIOD:
        return tac_period_parse(text, &v->t_us, err);
    case TAC__KIND_RATE:
        return parse_rate(key, text, &v->t_us, err);
    case TAC__KIND_WORD:
        return parse_word(key, text, &v->word, err);
    case TAC__KIND_BOOL:
        good = is_one_of(text, bools);
        v->boolean = *text == 't';
        break;
    case TAC__KIND_NAME:
        good = tac__name_valid(text);
        break;
    case TAC__KIND_PATTERN:
        good = *text && !strpbrk(text, " \t\n");
        break;
    case TAC__KIND_PATH:
        good = *text != '\0';
        break;
    default:
        break;
    }
    return good ? TAC_OK : fail_text(key, text, quoted, err);
}

// --- the check ------------------------------------------------------------------------------

// Complete an error about `node`: its place, and its path in the tree.
static tac_status locate(const tac_node *node, const tac_place *place, tac_status status,
                         tac_error *err)
{
    char path[TAC_ERROR_NAME];
    tac__error_place(err, place);
    if (tac__node_path(node, path, sizeof path) > 0)
        tac__error_context(err, "reading %s", path);
    return status;
}

static tac_status fail_kind(const tac_node *node, const char *expected, tac_error *err)
{
    char what[TAC_ERROR_NAME];
    snprintf(what, sizeof what, "expected %s", expected);
    return locate(node, tac_node_place(node), tac__node_fail_kind(node, what, err), err);
}

// The shape of node that a kind needs; ANY and EITHER have no shape of their own.
static tac_node_kind shape_of(tac__kind kind)
{
    return kind == TAC__KIND_LIST                             ? TAC_NODE_SEQUENCE
           : kind == TAC__KIND_MAP || kind == TAC__KIND_TABLE ? TAC_NODE_MAP
                                                              : TAC_NODE_SCALAR;
}

const tac__key *tac__spec_key(const tac__spec *spec, const char *name)
{
    for (const tac__key *key = spec->keys; key->name; key++) {
        if (strcmp(key->name, name) == 0)
            return key;
    }
    return NULL;
}

static tac_status fail_unknown(const tac_node *map, size_t i, const tac__spec *spec, tac_error *err)
{
    const char *name = tac_node_key(map, i);
    tac__nearest nearest = tac__nearest_begin(name);
    for (const tac__key *key = spec->keys; key->name; key++)
        tac__nearest_offer(&nearest, key->name);
    tac__fail(err, TAC_E_NAME, "unknown key '%s'", name);
    if (nearest.best)
        tac__error_append(err, "; did you mean '%s'?", nearest.best);
    else if (!spec->keys->name)
        tac__error_append(err, "; no keys are expected here");
    for (const tac__key *key = spec->keys; !nearest.best && key->name; key++)
        tac__error_append(err, "%s%s", key == spec->keys ? "; valid keys are " : ", ", key->name);
    return locate(map, tac_node_key_place(map, i), TAC_E_NAME, err);
}

static tac_status check(const tac_node *node, const tac__key *key, tac__mistakes *m,
                        tac_error *err);

static tac_status check_map(const tac_node *map, const tac__spec *spec, tac__mistakes *m,
                            tac_error *err)
{
    bool unknown = false; // what seems to be missing then is probably misspelt
    for (size_t i = 0; i < tac_node_count(map); i++) {
        const tac__key *key = tac__spec_key(spec, tac_node_key(map, i));
        unknown |= !key;
        if (!key)
            TAC_TRY(tac__mistake(m, fail_unknown(map, i, spec, err), err));
        else if (!tac_node_is_null(tac_node_item(map, i)))
            TAC_TRY(tac__mistake(m, check(tac_node_item(map, i), key, m, err), err));
    }
    for (const tac__key *key = spec->keys; !unknown && key->name; key++) {
        if ((key->flags & TAC__REQUIRED) && !tac__get_node(map, key->name)) {
            tac__fail(err, TAC_E_CONFIG, "key '%s' is missing", key->name);
            locate(map, tac_node_place(map), TAC_E_CONFIG, err);
            TAC_TRY(tac__mistake(m, TAC_E_CONFIG, err));
        }
    }
    return TAC_OK;
}

static tac_status check_items(const tac_node *node, const tac__key *key, tac__mistakes *m,
                              tac_error *err)
{
    const size_t count = tac_node_count(node);
    char text[32];
    snprintf(text, sizeof text, "a list of %zu", count);
    if (key->kind == TAC__KIND_LIST) {
        const tac_status status = check_bounds(key, text, (double)count, err);
        if (status != TAC_OK)
            return locate(node, tac_node_place(node), status, err);
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = tac_node_key(node, i);
        if (name && !(key->flags & TAC__FREE_KEYS) && !tac__name_valid(name)) {
            tac__fail(err, TAC_E_NAME, "'%s' is not a name: expected letters, digits and '_'",
                      name);
            locate(node, tac_node_key_place(node, i), TAC_E_NAME, err);
            TAC_TRY(tac__mistake(m, TAC_E_NAME, err));
        }
        TAC_TRY(tac__mistake(m, check(tac_node_item(node, i), key->of, m, err), err));
    }
    return TAC_OK;
}

// Tries the alternatives that have the shape of the node. If there is only one, its own error is
// the most helpful.
static tac_status check_either(const tac_node *node, const tac__key *key, tac__mistakes *m,
                               tac_error *err)
{
    char expected[TAC_ERROR_NAME];
    tac__out out = tac__out_begin(expected, sizeof expected);
    const tac__key *only = NULL;
    unsigned fitting = 0;
    for (const tac__key *option = key->of; option->kind != TAC__KIND_END; option++) {
        const bool any = option->kind == TAC__KIND_ANY || option->kind == TAC__KIND_EITHER;
        if (any || shape_of(option->kind) == tac_node_kind_of(node)) {
            if (check(node, option, NULL, NULL) == TAC_OK)
                return TAC_OK;
            only = option;
            fitting++;
        }
        tac__out_add(&out, "%s%s", out.length ? " or " : "", describe(option->kind));
        for (size_t i = 0; option->kind == TAC__KIND_WORD && option->words[i]; i++)
            tac__out_add(&out, "%s%s", i == 0 ? " of " : ", ", option->words[i]);
    }
    return fitting == 1 ? check(node, only, m, err) : fail_kind(node, expected, err);
}

static tac_status check(const tac_node *node, const tac__key *key, tac__mistakes *m, tac_error *err)
{
    if (key->kind == TAC__KIND_ANY)
        return TAC_OK;
    if (key->kind == TAC__KIND_EITHER)
        return check_either(node, key, m, err);
    if (shape_of(key->kind) != tac_node_kind_of(node) || tac_node_is_null(node))
        return fail_kind(node, describe(key->kind), err);
    if (key->kind == TAC__KIND_MAP)
        return check_map(node, key->spec, m, err);
    if (!tac__spec_scalar(key->kind))
        return check_items(node, key, m, err);
    parsed v;
    const tac_status status =
        tac__spec_parse(key, tac_node_text(node), tac_node_quoted(node), &v, err);
    return status == TAC_OK ? TAC_OK : locate(node, tac_node_place(node), status, err);
}

tac_status tac__spec_check(const tac_node *node, const tac__spec *spec, tac__mistakes *m,
                           tac_error *err)
{
    TAC_REQUIRE(node && spec);
    const tac_status status = check(node, &(tac__key){.kind = TAC__KIND_MAP, .spec = spec}, m, err);
    return tac__mistake(m, status, err);
}

// --- values ---------------------------------------------------------------------------------

const tac_node *tac__get_node(const tac_node *map, const char *key)
{
    const tac_node *node = tac_node_get(map, key);
    return tac_node_is_null(node) ? NULL : node;
}

const char *tac__get_text(const tac_node *map, const tac__spec *spec, const char *key)
{
    const tac_node *node = tac__get_node(map, key);
    const tac__key *known = tac__spec_key(spec, key);
    TAC_ASSERT(known);
    return node ? tac_node_text(node) : known ? known->fallback : NULL;
}

static parsed get(const tac_node *map, const tac__spec *spec, const char *name, tac__kind kind)
{
    parsed v = {0};
    const tac__key *key = tac__spec_key(spec, name);
    const char *text = tac__get_text(map, spec, name);
    TAC_ASSERT(key && key->kind == kind);
    if (key && key->kind == kind && text &&
        tac__spec_parse(key, text, tac_node_quoted(tac_node_get(map, name)), &v, NULL) != TAC_OK)
        v = (parsed){0};
    return v;
}

bool tac__get_bool(const tac_node *map, const tac__spec *spec, const char *key)
{
    return get(map, spec, key, TAC__KIND_BOOL).boolean;
}

int64_t tac__get_int(const tac_node *map, const tac__spec *spec, const char *key)
{
    return get(map, spec, key, TAC__KIND_INTEGER).integer;
}

double tac__get_number(const tac_node *map, const tac__spec *spec, const char *key)
{
    return get(map, spec, key, TAC__KIND_NUMBER).number;
}

tac_time tac__get_time(const tac_node *map, const tac__spec *spec, const char *key)
{
    return get(map, spec, key, TAC__KIND_TIME).t_us;
}

tac_time tac__get_period(const tac_node *map, const tac__spec *spec, const char *key)
{
    const tac__key *known = tac__spec_key(spec, key);
    const bool rate = known && known->kind == TAC__KIND_RATE;
    return get(map, spec, key, rate ? TAC__KIND_RATE : TAC__KIND_PERIOD).t_us;
}

size_t tac__get_word(const tac_node *map, const tac__spec *spec, const char *key)
{
    return get(map, spec, key, TAC__KIND_WORD).word;
}

static tac_status read_scalar(const tac_node *node, tac__kind kind, parsed *v, tac_error *err)
{
    TAC_REQUIRE(node);
    const tac__key key = {.kind = kind};
    TAC_TRY(check(node, &key, NULL, err));
    return tac__spec_parse(&key, tac_node_text(node), tac_node_quoted(node), v, err);
}

#define READ(node, kind, field, out, err)                                                          \
    do {                                                                                           \
        parsed v;                                                                                  \
        TAC_REQUIRE(out);                                                                          \
        TAC_TRY(read_scalar((node), (kind), &v, (err)));                                           \
        *(out) = v.field;                                                                          \
        return TAC_OK;                                                                             \
    } while (0)

tac_status tac__read_bool(const tac_node *node, bool *value, tac_error *err)
{
    READ(node, TAC__KIND_BOOL, boolean, value, err);
}

tac_status tac__read_int(const tac_node *node, int64_t *value, tac_error *err)
{
    READ(node, TAC__KIND_INTEGER, integer, value, err);
}

tac_status tac__read_number(const tac_node *node, double *value, tac_error *err)
{
    READ(node, TAC__KIND_NUMBER, number, value, err);
}

tac_status tac__read_time(const tac_node *node, tac_time *t_us, tac_error *err)
{
    READ(node, TAC__KIND_TIME, t_us, t_us, err);
}

tac_status tac__read_period(const tac_node *node, tac_time *period_us, tac_error *err)
{
    READ(node, TAC__KIND_PERIOD, t_us, period_us, err);
}

// --- the specs that a spec refers to --------------------------------------------------------

tac_status tac__spec_add(tac__spec_set *set, const tac__key *key)
{
    if (key->kind == TAC__KIND_LIST || key->kind == TAC__KIND_TABLE)
        return tac__spec_add(set, key->of);
    if (key->kind == TAC__KIND_EITHER) {
        for (const tac__key *option = key->of; option->kind != TAC__KIND_END; option++)
            TAC_TRY(tac__spec_add(set, option));
    }
    if (key->kind != TAC__KIND_MAP)
        return TAC_OK;
    for (size_t i = 0; i < set->count; i++) {
        if (set->specs[i] == key->spec)
            return TAC_OK;
    }
    if (set->count == TAC__SPECS_MAX)
        return TAC_E_LIMIT;
    set->specs[set->count++] = key->spec;
    return TAC_OK;
}

// --- checking tables ------------------------------------------------------------------------

static tac_status valid_key(const tac__key *key, tac_error *err)
{
    const bool has_of = key->kind == TAC__KIND_LIST || key->kind == TAC__KIND_TABLE ||
                        key->kind == TAC__KIND_EITHER;
    if (key->kind == TAC__KIND_END || (key->kind == TAC__KIND_WORD) != (key->words != NULL) ||
        has_of != (key->of != NULL) || (key->kind == TAC__KIND_MAP) != (key->spec != NULL))
        return tac__fail(err, TAC_E_CALLER,
                         "its kind needs words, of or spec, or must not have it");
    if (key->fallback && ((key->flags & TAC__REQUIRED) ||
                          !(tac__spec_scalar(key->kind) || key->kind == TAC__KIND_EITHER)))
        return tac__fail(err, TAC_E_CALLER, "it cannot have a fallback");
    parsed v;
    if (key->fallback && tac__spec_scalar(key->kind))
        TAC_TRY(tac__spec_parse(key, key->fallback, false, &v, err));
    if (has_of && key->kind != TAC__KIND_EITHER)
        return valid_key(key->of, err);
    for (const tac__key *option = key->of; option && option->kind != TAC__KIND_END; option++)
        TAC_TRY(valid_key(option, err));
    return TAC_OK;
}

tac_status tac__spec_valid(const tac__spec *spec, tac_error *err)
{
    TAC_REQUIRE(spec);
    tac__spec_set set = {.specs = {spec}, .count = 1};
    for (size_t i = 0; i < set.count; i++) {
        const tac__spec *at = set.specs[i];
        for (size_t k = 0; k < i; k++) {
            if (strcmp(set.specs[k]->name, at->name) == 0)
                return tac__fail(err, TAC_E_DUPLICATE, "two specs are called '%s'", at->name);
        }
        for (const tac__key *key = at->keys; key->name; key++) {
            tac_status status = valid_key(key, err);
            if (status == TAC_OK &&
                (tac__spec_key(at, key->name) != key || strcmp(key->name, "extends") == 0))
                status = tac__fail(err, TAC_E_DUPLICATE, "the name is taken");
            if (status == TAC_OK && tac__spec_add(&set, key) != TAC_OK)
                status = tac__fail(err, TAC_E_LIMIT, "more than %d specs", TAC__SPECS_MAX);
            if (status != TAC_OK) {
                tac__error_context(err, "checking key '%s' of spec '%s'", key->name, at->name);
                return status;
            }
        }
    }
    return TAC_OK;
}
