// listing.c - a message as a table for people: each field with its offset, and the padding. Of an
// array of messages the fields of the first element are listed.
#include "autopilot/px4/message.h"

typedef struct lister {
    tac__text *text;
    char path[TAC__UORB_DEPTH_MAX * (TAC__UORB_NAME + 8)]; // "esc[0]." before a field's name
    size_t length;                                         // of the path
} lister;

static uint32_t total_size(const tac__uorb_field *field)
{
    return field->count * tac__uorb_element_size(field);
}

static void add_row(lister *l, uint32_t offset, uint32_t size, const char *type, const char *name)
{
    tac__text_add(l->text, "%7u %6u  %-16s %s%s\n", offset, size, type, l->path, name);
}

static void add_gap(lister *l, uint32_t base, uint32_t from, uint32_t to)
{
    if (from < to)
        tac__text_add(l->text, "%7u %6u  padding\n", base + from, to - from);
}

static void list_fields(lister *l, const tac__uorb_message *message, uint32_t base)
{
    uint32_t end = 0;
    for (size_t i = 0; i < message->field_count; i++) {
        const tac__uorb_field *field = &message->fields[i];
        add_gap(l, base, end, field->offset);
        char type[TAC__UORB_NAME + 16];
        tac__out out = tac__out_begin(type, sizeof type);
        tac__out_add(&out, "%s", tac__uorb_element_type(field));
        if (field->array)
            tac__out_add(&out, "[%u]", field->count);
        add_row(l, base + field->offset, total_size(field), type, field->name);
        if (field->message) {
            const size_t kept = l->length;
            tac__out path = {l->path, sizeof l->path, kept};
            tac__out_add(&path, "%s%s.", field->name, field->array ? "[0]" : "");
            l->length = path.length;
            list_fields(l, field->message, base + field->offset);
            l->length = kept;
            l->path[kept] = '\0';
        }
        end = field->offset + total_size(field);
    }
    add_gap(l, base, end, message->size);
}

void tac__uorb_print(const tac__uorb_message *message, tac__text *text)
{
    lister l = {.text = text};
    tac__text_add(text, "%s: %u bytes, %u without padding, hash %08x\n", message->name,
                  message->size, message->size_no_padding, message->hash);
    tac__text_add(text, "%7s %6s  %-16s %s\n", "offset", "size", "type", "name");
    list_fields(&l, message, 0);
}
