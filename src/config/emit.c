// emit.c - a document as YAML again: what was resolved, for people and for recordings. Reading the
// result gives the same tree.
#include "config/config.h"
#include "base/text.h"

#include <string.h>

// Text that needs no quotes to be read back as the same text. Strict: quotes do no harm.
static bool is_plain(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_./+-*^()% ";
    const size_t length = strlen(text);
    if (length == 0 || strspn(text, safe) != length || text[length - 1] == ' ')
        return false;
    // A number may begin with a sign; "- x" would be an item of a list.
    return !strchr("*% -", text[0]) || (text[0] == '-' && strspn(text + 1, ".0123456789"));
}

// Characters that YAML takes for line breaks, or takes only as escapes: C1 controls, U+2028 and
// U+2029, U+FEFF and the like. Returns the length of the one at `c`, 0 for all others.
static size_t special(const char *c, unsigned *code)
{
    const unsigned char *u = (const unsigned char *)c;
    if (u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0) {
        *code = u[1];
        return 2;
    }
    if (u[0] != 0xe2 && u[0] != 0xef)
        return 0;
    if ((u[1] & 0xc0) != 0x80 || (u[2] & 0xc0) != 0x80)
        return 0;
    *code = (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
    const bool odd = *code == 0x2028 || *code == 0x2029 || *code == 0xfeff || *code >= 0xfffe;
    return odd ? 3 : 0;
}

// Values are expanded when they are read again, keys are not.
static void emit_text(tac__text *out, const char *text, bool quoted, bool value)
{
    if (!quoted && is_plain(text)) {
        tac__text_add(out, "%s", text);
        return;
    }
    tac__text_bytes(out, "\"", 1);
    for (const char *c = text; *c; c++) {
        const unsigned char u = (unsigned char)*c;
        unsigned code;
        const size_t n = special(c, &code);
        if (n) {
            tac__text_add(out, "\\u%04x", code);
            c += n - 1;
            continue;
        }
        if (u == '"' || u == '\\')
            tac__text_add(out, "\\%c", u);
        else if (u == '\n')
            tac__text_bytes(out, "\\n", 2);
        else if (u < 0x20 || u == 0x7f)
            tac__text_add(out, "\\x%02x", u);
        else if (value && u == '$' && c[1] == '{')
            tac__text_bytes(out, "$$", 2);
        else
            tac__text_bytes(out, c, 1);
    }
    tac__text_bytes(out, "\"", 1);
}

static void emit_scalar(tac__text *out, const tac_node *node)
{
    if (tac_node_is_null(node)) // in quotes it would be a text
        tac__text_bytes(out, "~", 1);
    else
        emit_text(out, tac_node_text(node), tac_node_quoted(node), true);
}

// Lists of scalars stand on one line.
static bool is_short_list(const tac_node *node)
{
    if (tac_node_kind_of(node) != TAC_NODE_SEQUENCE)
        return false;
    for (size_t i = 0; i < tac_node_count(node); i++) {
        if (tac_node_kind_of(tac_node_item(node, i)) != TAC_NODE_SCALAR)
            return false;
    }
    return true;
}

// A value after "key:" or "-".
static void emit(tac__text *out, const tac_node *node, size_t indent)
{
    if (tac_node_kind_of(node) == TAC_NODE_SCALAR) {
        tac__text_bytes(out, " ", 1);
        emit_scalar(out, node);
        tac__text_bytes(out, "\n", 1);
        return;
    }
    const size_t n = tac_node_count(node);
    if (is_short_list(node)) {
        tac__text_add(out, " [");
        for (size_t i = 0; i < n; i++) {
            tac__text_add(out, "%s", i ? ", " : "");
            emit_scalar(out, tac_node_item(node, i));
        }
        tac__text_add(out, "]\n");
        return;
    }
    if (n == 0) {
        tac__text_add(out, " {}\n");
        return;
    }
    if (indent)
        tac__text_bytes(out, "\n", 1);
    for (size_t i = 0; i < n; i++) {
        tac__text_repeat(out, ' ', indent);
        if (tac_node_kind_of(node) == TAC_NODE_MAP) {
            emit_text(out, tac_node_key(node, i), false, false);
            tac__text_bytes(out, ":", 1);
        } else {
            tac__text_bytes(out, "-", 1);
        }
        emit(out, tac_node_item(node, i), indent + 2);
    }
}

char *tac_config_resolved(const tac_config *config)
{
    tac__text out;
    tac__text_init(&out, tac_allocator_default());
    emit(&out, tac_document_root(config->doc), 0);
    if (out.failed) {
        tac__text_fini(&out);
        return NULL;
    }
    return out.chars;
}
