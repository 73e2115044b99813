// lex.c - splits a text into tokens: numbers with units, names with dots, labels, operators.
#include "expr/lex.h"
#include "base/print.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

tac_status tac__expr_fail(tac_error *err, tac_status status, const char *text, size_t at,
                          const char *format, ...)
{
    if (!err)
        return status;
    char message[TAC_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    tac__vprint(message, sizeof message, format, args);
    va_end(args);
    uint32_t column = 1;
    for (size_t i = 0; i < at; i++)
        column += ((unsigned char)text[i] & 0xC0) != 0x80; // UTF-8: not inside a character
    tac__fail_at(err, status, &(tac_place){NULL, 1, column, text}, "%s", message);
    err->line = 0;
    return status;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// --- numbers --------------------------------------------------------------------------------

static size_t count_digits(const char *c)
{
    return strspn(c, "0123456789");
}

// 1, 1.5, .5, 1e-3
static size_t number_length(const char *text)
{
    const char *c = text + count_digits(text);
    if (*c == '.')
        c += 1 + count_digits(c + 1);
    if (*c == 'e' || *c == 'E') {
        const size_t sign = c[1] == '+' || c[1] == '-', digits = count_digits(c + 1 + sign);
        c += digits ? 1 + sign + digits : 0;
    }
    return (size_t)(c - text);
}

enum { NUMBER_MAX = 64, UNIT_MAX = 64 };

// A symbol of a unit: letters, µ and %.
static size_t symbol_length(const char *c)
{
    size_t n = 0;
    while (is_letter(c[n]) || c[n] == '%' || (unsigned char)c[n] >= 0x80)
        n++;
    return n;
}

static bool is_unit(const char *text, size_t length)
{
    char name[UNIT_MAX];
    tac__unit unit;
    if (length >= sizeof name)
        return false;
    memcpy(name, text, length);
    name[length] = '\0';
    return tac__unit_parse(name, &unit, NULL) == TAC_OK;
}

// The length of m, m^2, s^-1; 0 where there is no unit. What continues like a name is no unit: s2,
// s.x.
static size_t factor_length(const char *text)
{
    size_t n = symbol_length(text);
    const bool goes_on = is_digit(text[n]) || text[n] == '.' || text[n] == '[' || text[n] == '(';
    if (n == 0 || goes_on || !is_unit(text, n))
        return 0;
    if (text[n] == '^') {
        const size_t sign = text[n + 1] == '-', digits = count_digits(text + n + 1 + sign);
        n += digits ? 1 + sign + digits : 0;
    }
    return n;
}

// "m/s^2" in "m/s^2*mass": factors without spaces between them.
static size_t unit_length(const char *text)
{
    size_t n = factor_length(text);
    while (n && (text[n] == '*' || text[n] == '/')) {
        const size_t more = factor_length(text + n + 1);
        if (more == 0)
            break;
        n += 1 + more;
    }
    return n;
}

static size_t name_length(const char *c)
{
    size_t n = 0;
    while (is_letter(c[n]) || is_digit(c[n]))
        n++;
    return n;
}

static bool is_word(const char *c, size_t length, const char *word)
{
    for (size_t i = 0; i < length; i++) {
        if (tac__to_lower(c[i]) != word[i])
            return false;
    }
    return word[length] == '\0';
}

static const struct {
    const char *text;
    tac__token_kind kind;
} words[] = {
    {"and", TAC__TOKEN_AND},   {"or", TAC__TOKEN_OR},       {"not", TAC__TOKEN_NOT},
    {"true", TAC__TOKEN_TRUE}, {"false", TAC__TOKEN_FALSE},
};

// TAC__TOKEN_NAME where the text is no keyword.
static tac__token_kind word_kind(const char *c, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is_word(c, length, words[i].text))
            return words[i].kind;
    }
    return TAC__TOKEN_NAME;
}

// Whether the word at `c`, which is no unit, was meant as a name and not as a unit: it goes on as
// names do ("c.y", "x2", "f("), or another operand follows ("XOR x").
static bool is_operand(const char *c, size_t symbol)
{
    if (symbol != name_length(c) || c[symbol] == '.' || c[symbol] == '[' || c[symbol] == '(')
        return true;
    if (is_word(c, symbol, "xor"))
        return true;
    const char *next = c + symbol + strspn(c + symbol, " \t\r\n");
    const bool name = is_letter(*next) && word_kind(next, name_length(next)) == TAC__TOKEN_NAME;
    return next > c + symbol && (name || is_digit(*next) || *next == '.');
}

// A number may be followed by its unit; nothing else that looks like a unit may follow. What is an
// operand is left to the parser, which knows what may follow instead.
static tac_status lex_unit(const char *text, tac__token *token, tac_error *err)
{
    const uint32_t at = token->to + (uint32_t)strspn(text + token->to, " \t\r\n");
    const size_t symbol = symbol_length(text + at);
    token->unit = token->to;
    if (symbol == 0 || word_kind(text + at, name_length(text + at)) != TAC__TOKEN_NAME)
        return TAC_OK;
    const size_t length = unit_length(text + at);
    if (length == 0) {
        char name[UNIT_MAX];
        tac__unit unit;
        tac_error reason;
        if (is_operand(text + at, symbol))
            return TAC_OK;
        snprintf(name, sizeof name, "%.*s", (int)symbol, text + at);
        if (tac__unit_parse(name, &unit, &reason) == TAC_OK)
            return TAC_OK;
        return tac__expr_fail(err, TAC_E_UNIT, text, at, "%s", reason.text);
    }
    token->unit = at;
    token->to = at + (uint32_t)length;
    return TAC_OK;
}

static tac_status lex_number(const char *text, tac__token *token, tac_error *err)
{
    char digits[NUMBER_MAX];
    const char *end;
    const size_t length = number_length(text + token->from);
    if (length >= sizeof digits)
        return tac__expr_fail(err, TAC_E_LIMIT, text, token->from,
                              "a number of %zu characters is too long", length);
    memcpy(digits, text + token->from, length);
    digits[length] = '\0';
    token->kind = TAC__TOKEN_NUMBER;
    token->to = token->from + (uint32_t)length;
    token->value = tac__number_parse(digits, &end);
    if (token->value - token->value != 0)
        return tac__expr_fail(err, TAC_E_RANGE, text, token->from, "%s is too large for a number",
                              digits);
    return lex_unit(text, token, err);
}

// --- names ----------------------------------------------------------------------------------

// The "[2]" of an element.
static tac_status lex_index(const char *text, tac__token *token, tac_error *err)
{
    const size_t digits = count_digits(text + token->to + 1);
    if (digits == 0 || text[token->to + 1 + digits] != ']')
        return tac__expr_fail(err, TAC_E_SYNTAX, text, token->to + 1,
                              "expected the number of an element and ']', as in position[2]");
    token->to += 2 + (uint32_t)digits;
    return TAC_OK;
}

static tac_status lex_name(const char *text, tac__token *token, tac_error *err)
{
    uint32_t to = token->from + (uint32_t)name_length(text + token->from);
    while (text[to] == '.') {
        if (!is_letter(text[to + 1]))
            return tac__expr_fail(err, TAC_E_SYNTAX, text, to + 1, "expected a name after '.'");
        to += 1 + (uint32_t)name_length(text + to + 1);
    }
    token->to = to;
    token->kind = word_kind(text + token->from, to - token->from);
    return text[to] == '[' ? lex_index(text, token, err) : TAC_OK;
}

// A label in quotes of either kind.
static tac_status lex_label(const char *text, tac__token *token, tac_error *err)
{
    const char *open = text + token->from, *close = strchr(open + 1, *open);
    if (!close)
        return tac__expr_fail(err, TAC_E_SYNTAX, text, token->from, "this quote is never closed");
    if (close == open + 1)
        return tac__expr_fail(err, TAC_E_SYNTAX, text, token->from, "expected a label in quotes");
    token->kind = TAC__TOKEN_LABEL;
    token->to = (uint32_t)(close + 1 - text);
    return TAC_OK;
}

// --- the rest -------------------------------------------------------------------------------

static const struct {
    const char *text;
    tac__token_kind kind;
    const char *instead; // what to write instead, where the operator is not of the language
} operators[] = {
    {"<=", TAC__TOKEN_LESS_EQUAL, NULL}, {">=", TAC__TOKEN_GREATER_EQUAL, NULL},
    {"==", TAC__TOKEN_EQUAL, NULL},      {"!=", TAC__TOKEN_NOT_EQUAL, NULL},
    {"&&", TAC__TOKEN_AND, NULL},        {"||", TAC__TOKEN_OR, NULL},
    {"<>", TAC__TOKEN_NOT_EQUAL, "!="},  {"=>", TAC__TOKEN_GREATER_EQUAL, ">="},
    {"=<", TAC__TOKEN_LESS_EQUAL, "<="}, {"=!", TAC__TOKEN_NOT_EQUAL, "!="},
    {"<", TAC__TOKEN_LESS, NULL},        {">", TAC__TOKEN_GREATER, NULL},
    {"!", TAC__TOKEN_NOT, NULL},         {"(", TAC__TOKEN_OPEN, NULL},
    {")", TAC__TOKEN_CLOSE, NULL},       {",", TAC__TOKEN_COMMA, NULL},
    {"^", TAC__TOKEN_POWER, NULL},       {"**", TAC__TOKEN_POWER, NULL},
    {"+", TAC__TOKEN_PLUS, NULL},        {"-", TAC__TOKEN_MINUS, NULL},
    {"*", TAC__TOKEN_TIMES, NULL},       {"/", TAC__TOKEN_OVER, NULL},
    {"=", TAC__TOKEN_EQUAL, "=="},       {"&", TAC__TOKEN_AND, "AND"},
    {"|", TAC__TOKEN_OR, "OR"},          {"[", TAC__TOKEN_OPEN_LIST, NULL},
    {"]", TAC__TOKEN_CLOSE_LIST, NULL},
};

static tac_status lex_operator(const char *text, tac__token *token, tac_error *err)
{
    const char *c = text + token->from;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const size_t length = strlen(operators[i].text);
        if (strncmp(c, operators[i].text, length))
            continue;
        if (operators[i].instead)
            return tac__expr_fail(err, TAC_E_SYNTAX, text, token->from, "'%s': write %s",
                                  operators[i].text, operators[i].instead);
        token->kind = operators[i].kind;
        token->to = token->from + (uint32_t)length;
        return TAC_OK;
    }
    int length = 1; // of the character, which may be one of UTF-8
    while (((unsigned char)c[length] & 0xC0) == 0x80 && length < 4)
        length++;
    if ((unsigned char)*c < ' ')
        return tac__expr_fail(err, TAC_E_SYNTAX, text, token->from, "unexpected character 0x%02x",
                              (unsigned)*c);
    return tac__expr_fail(err, TAC_E_SYNTAX, text, token->from, "unexpected character '%.*s'",
                          length, c);
}

tac_status tac__lex(const char *text, uint32_t at, tac__token *token, tac_error *err)
{
    at += (uint32_t)strspn(text + at, " \t\r\n");
    *token = (tac__token){.from = at, .to = at};
    const char *c = text + at;
    if (*c == '\0')
        return TAC_OK;
    if (is_digit(*c) || (*c == '.' && is_digit(c[1])))
        return lex_number(text, token, err);
    if (is_letter(*c))
        return lex_name(text, token, err);
    if (*c == '\'' || *c == '"')
        return lex_label(text, token, err);
    return lex_operator(text, token, err);
}
