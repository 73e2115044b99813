// Messages of uORB: the layout rule against the layouts, sizes and hashes of a real build, and
// against what the compiler makes of a struct; names to places; the listing.
#include "support/test.h"

#include "autopilot/px4/message.h"
#include "autopilot/px4_facts.h"
#include "support/allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tac__arena arena;

static int begin(void **state)
{
    (void)state;
    tac__arena_init(&arena, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tac__arena_fini(&arena);
    return 0;
}

static const tac__uorb_message *builtin(const char *topic)
{
    const tac__uorb_message *message = NULL;
    tac_error err;
    if (tac__uorb_builtin(&arena, topic, &message, &err) != TAC_OK)
        fail_msg("%s", err.text);
    return message;
}

static tac__uorb_slot find(const tac__uorb_message *message, const char *path)
{
    tac__uorb_slot slot = {0};
    tac_error err;
    if (tac__uorb_find(message, path, &slot, &err) != TAC_OK)
        fail_msg("%s: %s", path, err.text);
    return slot;
}

// --- the built-in messages ----------------------------------------------------------------------

static bool is_of(tac__uorb_type type, char letter)
{
    switch (letter) {
    case 'd':
        return type == TAC__UORB_FLOAT64;
    case 'q':
        return type == TAC__UORB_UINT64;
    case 'f':
        return type == TAC__UORB_FLOAT32;
    case 'I':
        return type == TAC__UORB_UINT32;
    case 'i':
        return type == TAC__UORB_INT32;
    case 'H':
        return type == TAC__UORB_UINT16;
    default:
        return type == TAC__UORB_BOOL || type == TAC__UORB_UINT8;
    }
}

static uint32_t letter_size(char letter)
{
    return strchr("dq", letter) ? 8 : strchr("fIi", letter) ? 4 : letter == 'H' ? 2 : 1;
}

// Every field stands where the one before it ends. Returns how many there are, and where they end.
static size_t check_layout(const tac__uorb_message *message, const char *layout, uint32_t *where)
{
    char copy[2048], *rest = copy;
    snprintf(copy, sizeof copy, "%s", layout);
    size_t count = 0;
    char letter = 0;
    *where = 0;
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        const bool last = word[strlen(word) - 1] == ';';
        word[strcspn(word, ";")] = '\0';
        if (!letter) {
            letter = *word;
            continue;
        }
        const char *star = strchr(word, '*');
        const uint32_t length = star ? (uint32_t)atoi(star + 1) : 1;
        word[strcspn(word, "*")] = '\0';
        const tac__uorb_slot slot = find(message, word);
        if (slot.offset != *where || slot.count != length || !is_of(slot.type, letter))
            fail_msg("%s.%s: offset %u, %u elements; expected %u, %u of %c", message->name, word,
                     slot.offset, slot.count, *where, length, letter);
        assert_string_equal(message->fields[count].name, word);
        assert_true(message->fields[count].array == (star != NULL));
        *where += length * letter_size(letter);
        count++;
        letter = last ? 0 : letter;
    }
    return count;
}

static void test_facts(void **state)
{
    (void)state;
    for (size_t i = 0; i < PX4_MESSAGES; i++) {
        const tac__uorb_message *message = builtin(px4_messages[i].topic);
        uint32_t where;
        assert_string_equal(message->name, px4_messages[i].topic);
        assert_int_equal(check_layout(message, px4_messages[i].layout, &where),
                         message->field_count);
        assert_int_equal(message->size_no_padding, where);
        assert_int_equal(message->size, px4_messages[i].size);
        if (message->hash != px4_messages[i].hash)
            fail_msg("%s: hash %08x, expected %08x", px4_messages[i].topic, message->hash,
                     px4_messages[i].hash);
        assert_string_equal(tac__uorb_builtin_topic(i), px4_messages[i].topic);
    }
    assert_null(tac__uorb_builtin_topic(PX4_MESSAGES));
}

static void test_unknown_topic(void **state)
{
    (void)state;
    const tac__uorb_message *message;
    tac_error err;
    assert_int_equal(tac__uorb_builtin(&arena, "vehicle_atitude", &message, &err), TAC_E_NAME);
    assert_non_null(strstr(err.text, "did you mean 'vehicle_attitude'?"));
}

// --- messages in messages -----------------------------------------------------------------------

#define SCALAR(label, kind)                                                                        \
    {                                                                                              \
        .name = (label), .type = TAC__UORB_##kind, .count = 1                                      \
    }

static const tac__uorb_message *lay_out(const char *name, const tac__uorb_field *fields, size_t n)
{
    const tac__uorb_message *message = NULL;
    tac_error err;
    if (tac__uorb_lay_out(&arena, name, fields, n, &message, &err) != TAC_OK)
        fail_msg("%s", err.text);
    return message;
}

typedef struct rotor_report {
    float speed;
    int16_t temperature;
    uint8_t state;
    uint8_t padding;
} rotor_report;

// What PX4 would compile, padding written out.
typedef struct rotor_reports {
    uint64_t timestamp;
    double mean_speed;
    uint8_t count;
    uint8_t padding[7];
    rotor_report rotor[4];
    rotor_report tail;
} rotor_reports;

static const tac__uorb_message *make_reports(void)
{
    const tac__uorb_field inner[] = {SCALAR("state", UINT8), SCALAR("speed", FLOAT32),
                                     SCALAR("temperature", INT16)};
    const tac__uorb_message *report = lay_out("RotorReport", inner, 3);
    const tac__uorb_field outer[] = {
        SCALAR("timestamp", UINT64),
        {.name = "rotor", .type = TAC__UORB_MESSAGE, .array = true, .count = 4, .message = report},
        SCALAR("count", UINT8),
        {.name = "tail", .type = TAC__UORB_MESSAGE, .count = 1, .message = report},
        SCALAR("mean_speed", FLOAT64),
    };
    return lay_out("rotor_reports", outer, 5);
}

static void test_nested(void **state)
{
    (void)state;
    const tac__uorb_message *m = make_reports();
    assert_int_equal(m->size, sizeof(rotor_reports));
    assert_int_equal(m->size_no_padding, sizeof(rotor_reports));
    assert_int_equal(m->depth, 2);
    assert_int_equal(find(m, "mean_speed").offset, offsetof(rotor_reports, mean_speed));
    assert_int_equal(find(m, "count").offset, offsetof(rotor_reports, count));
    assert_int_equal(find(m, "rotor[0].speed").offset, offsetof(rotor_reports, rotor[0].speed));
    assert_int_equal(find(m, "rotor[3].state").offset, offsetof(rotor_reports, rotor[3].state));
    assert_int_equal(find(m, "tail.temperature").offset, offsetof(rotor_reports, tail.temperature));
    assert_int_equal(find(m, "tail.temperature").type, TAC__UORB_INT16);
    // Of the text by the rule, with another program.
    assert_int_equal(m->hash, 0xae3cd4d1);
}

static void test_padding(void **state)
{
    (void)state;
    const tac__uorb_message *m = builtin("vehicle_rates_setpoint");
    assert_int_equal(m->size_no_padding, 33);
    assert_int_equal(m->size, 40);
}

static void test_limits(void **state)
{
    (void)state;
    const tac__uorb_message *message;
    tac_error err;
    tac__uorb_field field = {.name = "x", .type = TAC__UORB_UINT64, .array = true, .count = 8191};
    assert_int_equal(lay_out("large", &field, 1)->size, TAC__UORB_SIZE_MAX);
    field.count = 8192;
    assert_int_equal(tac__uorb_lay_out(&arena, "large", &field, 1, &message, &err), TAC_E_LIMIT);
    field.count = UINT32_MAX;
    assert_int_equal(tac__uorb_lay_out(&arena, "large", &field, 1, &message, &err), TAC_E_LIMIT);
    assert_int_equal(tac__uorb_lay_out(&arena, "empty", &field, 0, &message, &err), TAC_E_TYPE);
}

// --- finding ------------------------------------------------------------------------------------

static void test_elements(void **state)
{
    (void)state;
    const tac__uorb_message *m = builtin("actuator_motors");
    tac__uorb_slot slot = find(m, "control");
    assert_true(slot.offset == 16 && slot.count == 12);
    slot = find(m, "control[11]");
    assert_true(slot.offset == 16 + 11 * 4 && slot.count == 1 && slot.type == TAC__UORB_FLOAT32);
}

static void check_lost(const tac__uorb_message *m, const char *path, tac_status status,
                       const char *words)
{
    tac__uorb_slot slot;
    tac_error err;
    const tac_status got = tac__uorb_find(m, path, &slot, &err);
    if (got != status || !strstr(err.text, words))
        fail_msg("%s: %s (%s), expected %s (%s)", path, tac_status_name(got),
                 got ? err.text : "found", tac_status_name(status), words);
}

static void test_lost(void **state)
{
    (void)state;
    const tac__uorb_message *m = builtin("actuator_motors");
    check_lost(m, "controll", TAC_E_NAME, "has no field 'controll'; did you mean 'control'?");
    check_lost(m, "contro", TAC_E_NAME, "has no field 'contro'");
    check_lost(m, "", TAC_E_NAME, "has no field ''");
    check_lost(m, "control[12]", TAC_E_RANGE, "'control[12]': there are 12 elements, from 0 to 11");
    check_lost(m, "control[4294967296]", TAC_E_RANGE, "there are 12");
    check_lost(m, "control[99999999999999999999999999]", TAC_E_RANGE, "there are 12");
    check_lost(m, "control[-1]", TAC_E_SYNTAX, "expected a number");
    check_lost(m, "control[]", TAC_E_SYNTAX, "expected a number");
    check_lost(m, "control[1", TAC_E_SYNTAX, "and ']'");
    check_lost(m, "control[1]x", TAC_E_TYPE, "nothing follows it");
    check_lost(m, "control.x", TAC_E_TYPE, "nothing follows it, found '.x'");
    check_lost(m, "timestamp[0]", TAC_E_TYPE, "no array");
    m = make_reports();
    check_lost(m, "rotor", TAC_E_TYPE, "is a RotorReport: expected 'rotor[0].speed'");
    check_lost(m, "rotor.speed", TAC_E_TYPE, "expected 'rotor[0].speed'");
    check_lost(m, "rotor[0]", TAC_E_TYPE, "expected 'rotor[0].speed'");
    check_lost(m, "tail", TAC_E_TYPE, "expected 'tail.speed'");
    check_lost(m, "tail.", TAC_E_NAME, "'RotorReport' has no field ''");
    check_lost(m, "tail.spead", TAC_E_NAME, "did you mean 'speed'?");
    check_lost(m, "a_name_that_is_longer_than_any_name_of_a_field_can_be_in_a_message_of_px4",
               TAC_E_NAME, "has no field 'a_name_that");
}

// --- the listing --------------------------------------------------------------------------------

static void check_listing(const tac__uorb_message *message, const char *expected)
{
    tac__text text;
    tac__text_init(&text, NULL);
    tac__uorb_print(message, &text);
    assert_false(text.failed);
    assert_string_equal(text.chars, expected);
    tac__text_fini(&text);
}

static void test_listing(void **state)
{
    (void)state;
    check_listing(builtin("vehicle_rates_setpoint"),
                  "vehicle_rates_setpoint: 40 bytes, 33 without padding, hash 79992167\n"
                  " offset   size  type             name\n"
                  "      0      8  uint64           timestamp\n"
                  "      8      4  float32          roll\n"
                  "     12      4  float32          pitch\n"
                  "     16      4  float32          yaw\n"
                  "     20     12  float32[3]       thrust_body\n"
                  "     32      1  bool             reset_integral\n"
                  "     33      7  padding\n");
    check_listing(make_reports(), "rotor_reports: 64 bytes, 64 without padding, hash ae3cd4d1\n"
                                  " offset   size  type             name\n"
                                  "      0      8  uint64           timestamp\n"
                                  "      8      8  float64          mean_speed\n"
                                  "     16      1  uint8            count\n"
                                  "     17      7  padding\n"
                                  "     24     32  RotorReport[4]   rotor\n"
                                  "     24      4  float32          rotor[0].speed\n"
                                  "     28      2  int16            rotor[0].temperature\n"
                                  "     30      1  uint8            rotor[0].state\n"
                                  "     31      1  padding\n"
                                  "     56      8  RotorReport      tail\n"
                                  "     56      4  float32          tail.speed\n"
                                  "     60      2  int16            tail.temperature\n"
                                  "     62      1  uint8            tail.state\n"
                                  "     63      1  padding\n");
}

// --- memory -------------------------------------------------------------------------------------

static void test_memory(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        test_allocator counts = test_allocator_make();
        counts.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&counts);
        tac__arena small;
        tac__arena_init(&small, &hook);
        const tac__uorb_message *message;
        const tac_status status =
            tac__uorb_builtin(&small, "vehicle_local_position", &message, NULL);
        tac__arena_fini(&small);
        test_allocator_check_empty(&counts);
        if (status == TAC_OK)
            break;
        assert_int_equal(status, TAC_E_MEMORY);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

TEST_MAIN(TEST(test_facts), TEST(test_unknown_topic), TEST(test_nested), TEST(test_padding),
          TEST(test_limits), TEST(test_elements), TEST(test_lost), TEST(test_listing),
          TEST(test_memory))
