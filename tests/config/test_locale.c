// A host that sets a locale gets the same bytes: numbers with a point, letters of ASCII. German has
// decimal commas, Turkish other capitals of i.
#include "config/everything.h"

#include <ctype.h>
#include <locale.h>

static void after_call(const char *call)
{
    (void)call;
}

static void give_up(void)
{
    setlocale(LC_ALL, "C");
}

static bool make_locale(const char *language, const char *charmap, const char *name)
{
    char command[512];
    snprintf(command, sizeof command, "localedef -i %s -f %s %s >/dev/null 2>&1", language, charmap,
             path_of(name));
    (void)!system(command); // it warns
    return setlocale(LC_ALL, name) != NULL;
}

// Text that a configuration takes, and what comes of it, with a comma in the host's own numbers.
static void test_a_host_s_locale(void **state)
{
    (void)state;
    static const struct {
        const char *language, *charmap, *name;
        bool comma;
    } locales[] = {
        {"de_DE", "UTF-8", "de_DE.UTF-8", true},
        {"tr_TR", "UTF-8", "tr_TR.UTF-8", true},
    };
    setenv("LOCPATH", path_of("."), 1);
    setlocale(LC_ALL, "C");
    const findings plain = find_all();
    int made = 0;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        if (!make_locale(locales[i].language, locales[i].charmap, locales[i].name))
            continue;
        made++;
        char number[16];
        snprintf(number, sizeof number, "%.1f", 0.5);
        if (locales[i].comma)
            assert_string_equal(number, "0,5"); // the locale is there
        const findings other = find_all();
        // What it was is still so.
        assert_string_equal(setlocale(LC_ALL, NULL), locales[i].name);
        setlocale(LC_ALL, "C");
        if (other.size != plain.size || memcmp(other.text, plain.text, plain.size)) {
            size_t at = 0;
            while (at < other.size && at < plain.size && other.text[at] == plain.text[at])
                at++;
            const size_t from = at < 40 ? 0 : at - 40;
            fail_msg("%s: byte %zu differs: '%.60s' is not '%.60s'", locales[i].name, at,
                     other.text + from, plain.text + from);
        }
        free(other.text);
    }
    free(plain.text);
    if (!made) {
        print_message("no localedef here, or no sources of locales\n");
        skip();
    }
}

static int tear_down(void **state)
{
    // Locales are folders.
    char command[512];
    snprintf(command, sizeof command, "rm -rf %s/*.UTF-8 %s/*.ISO-8859-9", path_of("."),
             path_of("."));
    (void)!system(command);
    return folder_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_host_s_locale),
    };
    return cmocka_run_group_tests(tests, folder_set_up, tear_down);
}
