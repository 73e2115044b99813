// The axis of labels: as many marks as there are labels in its range, whatever the values are.
#include "cli/plot/chart.c"
#include "cli/plot/panel.c"
#include "support/test.h"

#include <stdlib.h>

// What the panel asks of the rest of the program.
const char *cli_value_name(const tac_type *type, double value)
{
    for (int i = 0; type->labels[i]; i++) {
        if (i == value)
            return type->labels[i];
    }
    return NULL;
}

void cli_gnuplot_quote(tac__text *script, const char *text)
{
    tac__text_add(script, "'%s'", text);
}

const char *cli_last_part(const char *name)
{
    return name;
}

const char *cli_file_name(const char *path)
{
    return path;
}

cli_range cli_page_seconds(const cli_page *page)
{
    (void)page;
    return (cli_range){0, 1};
}

static const char *const labels[] = {"GROUND", "BOOST", "COAST", NULL};

static void draw(const double *values, size_t rows, tac__text *script)
{
    const tac_recorded recorded = {
        .name = "flight.phase", .unit = "1", .type = TAC_TYPE_ENUM(labels)};
    cli_page_signal signal = {.name = "flight.phase", .in = {&recorded}, .any = &recorded};
    signal.tables[0] = (cli_table){values, rows, 2};
    const cli_page page = {.recording_count = 1, .panel_count = 1};
    const cli_page_panel panel = {.signals = &signal, .count = 1};
    tac__text_init(script, tac_allocator_default());
    assert_true(cli_page_panel_height(&page, &panel) < 2000);
    cli_page_panel_draw(&page, &panel, 1000, true, script);
}

static void test_few_marks(void **state)
{
    (void)state;
    tac__text script;
    const double wild[] = {0, 0, 1, 2147483647, 2, -2147483648.0, 3, (double)NAN};
    draw(wild, 4, &script);
    assert_true(script.length < 10000);
    assert_non_null(strstr(script.chars, "'GROUND' 0, 'BOOST' 1, 'COAST' 2, '-2147483648' "
                                         "-2147483648, '2147483647' 2147483647)"));
    tac__text_fini(&script);
    const double usual[] = {0, 1, 1, 2};
    draw(usual, 2, &script);
    assert_non_null(strstr(script.chars, "set ytics nomirror ('BOOST' 1, 'COAST' 2)"));
    tac__text_fini(&script);
    const double nothing[] = {0, (double)NAN, 1, (double)INFINITY, 2, -(double)INFINITY};
    draw(nothing, 3, &script);
    assert_non_null(strstr(script.chars, "('GROUND' 0, 'BOOST' 1)"));
    tac__text_fini(&script);
}

TEST_MAIN(cmocka_unit_test(test_few_marks))
