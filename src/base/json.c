// json.c - a JSON writer over a growing text.
#include "base/json.h"

#include <inttypes.h>
#include <string.h>

tac__json tac__json_begin(tac__text *text)
{
    return (tac__json){.text = text};
}

static void new_line(tac__json *json)
{
    tac__text_bytes(json->text, "\n", 1);
    tac__text_repeat(json->text, ' ', 2 * (size_t)json->depth);
}

// Called before every value and key: writes the comma, and begins the line.
static void separate(tac__json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    const bool compact = json->compact[json->depth];
    if (json->has_items[json->depth])
        tac__text_bytes(json->text, ", ", compact ? 2 : 1);
    if (json->depth > 0 && !compact)
        new_line(json);
    json->has_items[json->depth] = true;
}

static void open_level(tac__json *json, const char *bracket)
{
    separate(json);
    tac__text_bytes(json->text, bracket, 1);
    if (json->depth + 2 >= TAC__JSON_DEPTH) { // nested too deep: no text rather than a wrong one
        json->text->failed = true;
        return;
    }
    json->depth++;
    json->has_items[json->depth] = false;
    // A nested level inherits the setting, so everything inside a compact level is compact.
    json->compact[json->depth + 1] = json->compact[json->depth];
}

static void close_level(tac__json *json, const char *bracket)
{
    if (json->depth == 0)
        return;
    const bool empty = !json->has_items[json->depth], compact = json->compact[json->depth];
    json->depth--;
    if (!empty && !compact)
        new_line(json);
    json->compact[json->depth + 1] = json->compact[json->depth];
    tac__text_bytes(json->text, bracket, 1);
    if (json->depth == 0)
        tac__text_bytes(json->text, "\n", 1);
}

void tac__json_object_begin(tac__json *json)
{
    open_level(json, "{");
}

void tac__json_object_end(tac__json *json)
{
    close_level(json, "}");
}

void tac__json_array_begin(tac__json *json)
{
    open_level(json, "[");
}

void tac__json_array_end(tac__json *json)
{
    close_level(json, "]");
}

void tac__json_compact(tac__json *json)
{
    json->compact[json->depth + 1] = true;
}

static void quoted(tac__json *json, const char *value)
{
    tac__text_bytes(json->text, "\"", 1);
    const char *plain = value; // what goes out as it is, all at once
    for (const char *c = value; *c; c++) {
        const unsigned char u = (unsigned char)*c;
        if (u >= 0x20 && u != '"' && u != '\\' && u < 0x7f)
            continue;
        uint32_t character = u;
        size_t n = 1;
        if (u >= 0x80) {
            n = tac__utf8_decode(c, 4, &character); // reads no further than the NUL
            if (n && character >= 0xa0) {
                c += n - 1;
                continue;
            }
            if (!n) {
                n = 1;
                character = 0xfffd; // JSON has no way to say a byte that is not UTF-8
            }
        }
        tac__text_bytes(json->text, plain, (size_t)(c - plain));
        plain = c + n;
        c += n - 1;
        if (u == '"' || u == '\\')
            tac__text_add(json->text, "\\%c", u);
        else if (u == '\n')
            tac__text_bytes(json->text, "\\n", 2);
        else if (u == '\t')
            tac__text_bytes(json->text, "\\t", 2);
        else
            tac__text_add(json->text, "\\u%04x", (unsigned)character);
    }
    tac__text_bytes(json->text, plain, strlen(plain));
    tac__text_bytes(json->text, "\"", 1);
}

void tac__json_key(tac__json *json, const char *key)
{
    separate(json);
    quoted(json, key);
    tac__text_bytes(json->text, ": ", 2);
    json->after_key = true;
}

void tac__json_text(tac__json *json, const char *value)
{
    separate(json);
    if (value)
        quoted(json, value);
    else
        tac__text_bytes(json->text, "null", 4);
}

void tac__json_number(tac__json *json, double value)
{
    separate(json);
    if (value - value != 0.0) { // NaN and infinities
        tac__text_bytes(json->text, "null", 4);
        return;
    }
    char text[TAC__NUMBER_TEXT];
    tac__number_print(value, text);
    tac__text_bytes(json->text, text, strlen(text));
}

void tac__json_u64(tac__json *json, uint64_t value)
{
    separate(json);
    tac__text_add(json->text, "%" PRIu64, value);
}

void tac__json_raw(tac__json *json, const char *value)
{
    separate(json);
    tac__text_bytes(json->text, value, strcspn(value, "\n"));
}

void tac__json_i64(tac__json *json, int64_t value)
{
    separate(json);
    tac__text_add(json->text, "%" PRId64, value);
}

void tac__json_bool(tac__json *json, bool value)
{
    separate(json);
    tac__text_bytes(json->text, value ? "true" : "false", value ? 4 : 5);
}

void tac__json_hex64(tac__json *json, uint64_t value)
{
    separate(json);
    tac__text_add(json->text, "\"%016" PRIx64 "\"", value);
}

void tac__json_key_text(tac__json *json, const char *key, const char *value)
{
    tac__json_key(json, key);
    tac__json_text(json, value);
}

void tac__json_key_number(tac__json *json, const char *key, double value)
{
    tac__json_key(json, key);
    tac__json_number(json, value);
}

void tac__json_key_u64(tac__json *json, const char *key, uint64_t value)
{
    tac__json_key(json, key);
    tac__json_u64(json, value);
}

void tac__json_key_bool(tac__json *json, const char *key, bool value)
{
    tac__json_key(json, key);
    tac__json_bool(json, value);
}

void tac__json_key_hex64(tac__json *json, const char *key, uint64_t value)
{
    tac__json_key(json, key);
    tac__json_hex64(json, value);
}
