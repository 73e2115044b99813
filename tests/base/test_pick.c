// Choosing signals and elements by patterns: what is chosen, and what is said where nothing is.
#include "support/test.h"

#include "base/pick.h"

#include <string.h>

#define SIGNAL(n, scalar, shape, count)                                                            \
    {                                                                                              \
        .name = n, .type = {scalar, shape, count, NULL}, .offset = 100                             \
    }

static const tac_recorded signals[] = {
    SIGNAL("uav.body.position", TAC_F64, TAC_VEC3, 3),
    SIGNAL("uav.body.attitude", TAC_F64, TAC_QUAT, 4),
    SIGNAL("uav.body.soc", TAC_F64, TAC_SINGLE, 1),
    SIGNAL("uav.control.motor", TAC_F64, TAC_ARRAY, 12),
    SIGNAL("uav.control.flags", TAC_BOOL, TAC_ARRAY, 2),
    SIGNAL("uav.control.lone", TAC_I32, TAC_ARRAY, 1),
    SIGNAL("two.body.position", TAC_F64, TAC_VEC3, 3),
    SIGNAL("two.spring.z", TAC_F64, TAC_SINGLE, 1),
    {0},
};

static const tac_recorded *at(const void *context, size_t i)
{
    const tac_recorded *s = (const tac_recorded *)context + i;
    return s->name ? s : NULL;
}

static const tac__pick_from from = {at, signals};

typedef struct taken {
    tac__arena arena;
    char text[512];
} taken;

static tac_status take(void *context, size_t i, int element, tac_error *err)
{
    (void)err;
    taken *t = context;
    const tac_recorded *s = &signals[i];
    if (element != TAC__PICK_WHOLE)
        s = tac__pick_element(&t->arena, s, (uint32_t)element);
    assert_non_null(s);
    strcat(t->text, *t->text ? " " : "");
    strcat(t->text, s->name);
    return TAC_OK;
}

static void chooses(const char *pattern, const char *wanted)
{
    tac_error err;
    taken t = {.text = ""};
    tac__arena_init(&t.arena, NULL);
    assert_int_equal(tac__pick(&from, pattern, take, &t, &err), TAC_OK);
    assert_string_equal(t.text, wanted);
    tac__arena_fini(&t.arena);
}

static void test_chosen(void **state)
{
    (void)state;
    chooses("uav.body.position", "uav.body.position");
    chooses("uav.body.position.z", "uav.body.position.z");
    chooses("uav.body.position[2]", "uav.body.position.z");
    chooses("position.y", "uav.body.position.y two.body.position.y");
    chooses("attitude.w", "uav.body.attitude.w");
    chooses("attitude[3]", "uav.body.attitude.z");
    chooses("motor[11]", "uav.control.motor[11]");
    chooses("motor[007]", "uav.control.motor[7]");
    chooses("lone[0]", "uav.control.lone[0]");
    chooses("uav.*.x", "uav.body.position.x uav.body.attitude.x");
    chooses("uav.control.*[1]", "uav.control.motor[1] uav.control.flags[1]");
    chooses("*.z", "two.spring.z"); // a whole signal that matches counts
    chooses("two.*.z", "two.spring.z");
}

static void test_place(void **state)
{
    (void)state;
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    const tac_recorded *z = tac__pick_element(&arena, &signals[0], 2);
    assert_int_equal(z->offset, 116);
    assert_true(z->type.shape == TAC_SINGLE && z->type.count == 1);
    assert_int_equal(tac__pick_element(&arena, &signals[4], 1)->offset, 101);
    assert_int_equal(tac__pick_element(&arena, &signals[5], 0)->offset, 100);
    tac__arena_fini(&arena);
}

static void says(const char *pattern, const char *wanted)
{
    tac_error err;
    taken t = {.text = ""};
    assert_int_equal(tac__pick(&from, pattern, take, &t, &err), TAC_E_NAME);
    assert_string_equal(err.text, wanted);
    assert_string_equal(t.text, "");
}

static void test_mistakes(void **state)
{
    (void)state;
    says("positon", "no signal matches 'positon'; did you mean 'uav.body.position'?");
    says("positon.z", "no signal matches 'positon.z'; did you mean 'uav.body.position.z'?");
    says("positon[2]", "no signal matches 'positon[2]'; did you mean 'uav.body.position.z'?");
    says("motr[11]", "no signal matches 'motr[11]'; did you mean 'uav.control.motor[11]'?");
    says("position.q",
         "no signal matches 'position.q': 'uav.body.position' has no element '.q', it "
         "has '.x' to '.z'; did you mean 'uav.body.position.x'?");
    says("position.w",
         "no signal matches 'position.w': 'uav.body.position' has no element '.w', it "
         "has '.x' to '.z'; did you mean 'uav.body.position.x'?");
    says("motor[12]",
         "no signal matches 'motor[12]': 'uav.control.motor' has no element '[12]', it "
         "has '[0]' to '[11]'; did you mean 'uav.control.motor[11]'?");
    says("motor.x", "no signal matches 'motor.x': 'uav.control.motor' has no element '.x', it has "
                    "'[0]' to '[11]'; did you mean 'uav.control.motor[0]'?");
    says("motor[1", "no signal matches 'motor[1': 'uav.control.motor' has no element '[1', it has "
                    "'[0]' to '[11]'; did you mean 'uav.control.motor[0]'?");
    says("lone[1]", "no signal matches 'lone[1]': 'uav.control.lone' has no element '[1]', it has "
                    "only '[0]'; did you mean 'uav.control.lone[0]'?");
    says("soc[0]",
         "no signal matches 'soc[0]': 'uav.body.soc' has no element '[0]', it is a single "
         "value; did you mean 'uav.body.soc'?");
    says("", "no signal matches ''");
    says("[1]", "no signal matches '[1]'");
    says("nothing.like.it", "no signal matches 'nothing.like.it'");
    char longest[2000];
    memset(longest, 'a', sizeof longest);
    memcpy(longest + sizeof longest - 4, "[1]", 4);
    tac_error err;
    assert_int_equal(tac__pick(&from, longest, take, NULL, &err), TAC_E_NAME);
}

TEST_MAIN(cmocka_unit_test(test_chosen), cmocka_unit_test(test_place),
          cmocka_unit_test(test_mistakes))
