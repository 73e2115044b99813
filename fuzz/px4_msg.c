// px4_msg.c - fuzzes .msg files: the input is up to eight of them, A to H, with a NUL between two.
// Whatever comes in, each message is one printable error, or is laid out without overlap within its
// size, every field of it can be found, and every byte of it is in the listing.
#include "autopilot/px4/load.h"
#include "autopilot/px4/value.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

enum { FILES_MAX = 8 };

static void check_error(tac_status status, const tac_error *err)
{
    char text[8192];
    CHECK(err->status == status && err->text[0]);
    CHECK(tac_error_print(err, text, sizeof text) > 0);
    CHECK(!err->line || err->file[0]);
}

// What is put into a field comes back, and only its own bytes change.
static void check_slot(const tac__uorb_message *message, tac__uorb_slot slot)
{
    static unsigned char bytes[TAC__UORB_SIZE_MAX];
    const uint32_t width = tac__uorb_scalars[slot.type].size;
    const uint64_t one = 1;
    uint64_t back = 0;
    CHECK(slot.count >= 1 && slot.offset % width == 0);
    CHECK(slot.offset + (uint64_t)slot.count * width <= message->size_no_padding);
    memset(bytes, 0, message->size);
    slot.offset += (slot.count - 1) * width;
    slot.count = 1;
    tac__uorb_put_u64(bytes, slot, &one, 1);
    tac__uorb_get_u64(bytes, slot, &back, 1);
    CHECK(back == 1);
}

static void check_message(const tac__uorb_message *message)
{
    uint32_t end = 0;
    CHECK(message->size % 8 == 0 && message->size <= TAC__UORB_SIZE_MAX && message->field_count);
    CHECK(message->size_no_padding <= message->size);
    CHECK(message->size - message->size_no_padding < 8);
    CHECK(message->depth <= TAC__UORB_DEPTH_MAX);
    for (size_t i = 0; i < message->field_count; i++) {
        const tac__uorb_field *field = &message->fields[i];
        tac__uorb_slot slot;
        tac_error err;
        CHECK(field->offset >= end && field->offset < message->size);
        end = field->offset + field->count * tac__uorb_element_size(field);
        const tac_status status = tac__uorb_find(message, field->name, &slot, &err);
        CHECK((status == TAC_OK) == !field->message);
        if (status == TAC_OK)
            check_slot(message, slot);
        else
            check_error(status, &err);
    }
    CHECK(end == message->size_no_padding);
}

static void check_listing(const tac__uorb_message *message)
{
    tac__text text;
    tac__text_init(&text, NULL);
    tac__uorb_print(message, &text);
    CHECK(!text.failed && text.length > 0);
    tac__text_fini(&text);
}

static void check_topic(tac__uorb_folder *folder, const char *topic)
{
    const tac__uorb_message *message = NULL;
    tac_error err;
    const tac_status status = tac__uorb_folder_message(folder, topic, &message, &err);
    if (status != TAC_OK) {
        check_error(status, &err);
        return;
    }
    CHECK(!strcmp(message->name, topic));
    check_message(message);
    check_listing(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tac__arena arena;
    tac__uorb_folder *folder;
    tac__arena_init(&arena, NULL);
    CHECK(tac__uorb_folder_create(&arena, "fuzz", &folder, NULL) == TAC_OK);
    size_t count = 0;
    for (size_t at = 0; at < size && count < FILES_MAX; count++) {
        const uint8_t *nul = memchr(data + at, 0, size - at);
        const size_t end = nul ? (size_t)(nul - data) : size;
        const char type[] = {(char)('A' + count), '\0'};
        CHECK(tac__uorb_folder_add(folder, type, type, (const char *)data + at, end - at, NULL) ==
              TAC_OK);
        at = end + 1;
    }
    static const char *const topics[] = {"a", "b", "c", "d", "e", "f", "g", "h", "t"};
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        check_topic(folder, topics[i]);
    tac__arena_fini(&arena);
    return 0;
}
