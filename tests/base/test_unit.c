// Units: what they are made of, which agree, and exact conversion.
#include "support/test.h"

#include "base/unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static tac__unit parse(const char *text)
{
    tac__unit unit;
    tac_error err;
    if (tac__unit_parse(text, &unit, &err) != TAC_OK)
        fail_msg("'%s' is refused: %s", text, err.text);
    return unit;
}

static void check_dimension(const char *text, int m, int kg, int s, int a, int k, int rad)
{
    const tac__unit unit = parse(text);
    const int expected[TAC__UNIT_DIMENSIONS] = {m, kg, s, a, k, rad};
    for (int d = 0; d < TAC__UNIT_DIMENSIONS; d++) {
        if (unit.power[d] != expected[d])
            fail_msg("'%s': dimension %d is %d, expected %d", text, d, unit.power[d], expected[d]);
    }
}

static void test_dimensions(void **state)
{
    (void)state;
    check_dimension("1", 0, 0, 0, 0, 0, 0);
    check_dimension("", 0, 0, 0, 0, 0, 0);
    check_dimension("m", 1, 0, 0, 0, 0, 0);
    check_dimension("kg", 0, 1, 0, 0, 0, 0);
    check_dimension("s", 0, 0, 1, 0, 0, 0);
    check_dimension("A", 0, 0, 0, 1, 0, 0);
    check_dimension("K", 0, 0, 0, 0, 1, 0);
    check_dimension("rad", 0, 0, 0, 0, 0, 1);
    check_dimension("m/s^2", 1, 0, -2, 0, 0, 0);
    check_dimension("m/s/s", 1, 0, -2, 0, 0, 0);
    check_dimension("m*s^-2", 1, 0, -2, 0, 0, 0);
    check_dimension("kg*m^2", 2, 1, 0, 0, 0, 0);
    check_dimension("rad/s", 0, 0, -1, 0, 0, 1);
    check_dimension("1/s", 0, 0, -1, 0, 0, 0);
    check_dimension("%", 0, 0, 0, 0, 0, 0);
    check_dimension("m^0", 0, 0, 0, 0, 0, 0);
    tac__unit unit;
    assert_int_equal(tac__unit_parse(NULL, &unit, NULL), TAC_OK);
    const tac__unit one = parse("1");
    assert_true(tac__unit_same(&unit, &one));
}

static void check_same(const char *a, const char *b)
{
    const tac__unit x = parse(a), y = parse(b);
    if (!tac__unit_same(&x, &y) || !tac__unit_same(&y, &x))
        fail_msg("'%s' is not the same as '%s'", a, b);
    assert_true(tac__unit_compatible(&x, &y));
    const tac__factor f = tac__unit_factor(&x, &y);
    assert_true(f.num == 1.0 && f.den == 1.0);
}

static void check_other_scale(const char *a, const char *b)
{
    const tac__unit x = parse(a), y = parse(b);
    if (tac__unit_same(&x, &y) || tac__unit_same(&y, &x))
        fail_msg("'%s' is the same as '%s'", a, b);
    assert_true(tac__unit_compatible(&x, &y));
}

static void check_incompatible(const char *a, const char *b)
{
    const tac__unit x = parse(a), y = parse(b);
    if (tac__unit_compatible(&x, &y) || tac__unit_compatible(&y, &x) || tac__unit_same(&x, &y))
        fail_msg("'%s' is compatible with '%s'", a, b);
}

// The derived units by their definitions.
static void test_same(void **state)
{
    (void)state;
    check_same("N", "kg*m/s^2");
    check_same("Pa", "N/m^2");
    check_same("J", "N*m");
    check_same("W", "J/s");
    check_same("Wh", "W*h");
    check_same("V", "W/A");
    check_same("Ohm", "V/A");
    check_same("ohm", "Ohm");
    check_same("F", "A*s/V");
    check_same("C", "A*s");
    check_same("Ah", "A*h");
    check_same("mAh*V", "mWh");
    check_same("mAh", "mA*h");
    check_same("in*ft/in", "ft");
    check_same("kt", "kt*in/in");
    check_same("T", "kg/A/s^2");
    check_same("Hz", "1/s");
    check_same("rpm", "rev/min");
    check_same("um", "µm");
    check_same("g/cm^3", "kg/dm^3");
    check_same("m/s^2", "m*s^-2");
    check_same("km/h", "m*km/m/h");
    check_same("mbar", "hPa");
    check_other_scale("m", "km");
    check_other_scale("m", "mm");
    check_other_scale("deg", "rad");
    check_other_scale("rpm", "rad/s");
    check_other_scale("%", "1");
    check_other_scale("h", "s");
    check_other_scale("gauss", "T");
    check_incompatible("m", "s");
    check_incompatible("rad", "1"); // an angle is no bare number
    check_incompatible("rad/s", "Hz");
    check_incompatible("m", "m^2");
    check_incompatible("N*m", "N");
}

static void check_factor(const char *from, const char *to, double num, double den)
{
    const tac__unit a = parse(from), b = parse(to);
    const tac__factor f = tac__unit_factor(&a, &b), back = tac__unit_factor(&b, &a);
    if (f.num != num || f.den != den)
        fail_msg("'%s' to '%s' is %.17g / %.17g, expected %.17g / %.17g", from, to, f.num, f.den,
                 num, den);
    if (back.num != den || back.den != num)
        fail_msg("'%s' to '%s' is %.17g / %.17g, expected %.17g / %.17g", to, from, back.num,
                 back.den, den, num);
}

static void test_factors(void **state)
{
    (void)state;
    const double pi = acos(-1.0);
    check_factor("km", "m", 1000, 1);
    check_factor("mm", "m", 1, 1000);
    check_factor("um", "km", 1, 1e9);
    check_factor("cm^2", "m^2", 1, 10000);
    check_factor("h", "s", 3600, 1);
    check_factor("h", "min", 60, 1);
    check_factor("min", "h", 1, 60);
    check_factor("m/s", "m/min", 60, 1);
    check_factor("Ah", "C", 3600, 1);
    check_factor("mAh", "Ah", 1, 1000);
    check_factor("mAh/min", "mA", 60, 1);
    check_factor("gauss", "T", 1, 10000);
    check_factor("ft", "in", 12, 1);
    check_factor("ft^2", "in^2", 144, 1);
    check_factor("kt*h", "m", 1852, 1);
    check_factor("in/min", "ft/h", 5, 1);
    check_factor("hPa", "Pa", 100, 1);
    check_factor("bar", "Pa", 100000, 1);
    check_factor("%", "1", 1, 100);
    check_factor("g", "kg", 1, 1000);
    check_factor("deg", "rad", pi, 180);
    check_factor("rpm", "rad/s", pi, 30);
    check_factor("rev", "deg", 360, 1);
    check_factor("rpm", "deg/s", 6, 1);
    check_factor("dm", "m", 1, 10);
    check_factor("GW", "W", 1e9, 1);
    check_factor("nF", "F", 1, 1e9);
    // Ratios that are not whole: their value counts.
    const tac__unit ft = parse("ft"), m = parse("m"), kt = parse("kt"), m_s = parse("m/s");
    const tac__unit in = parse("in"), area = parse("g*in^2"), si = parse("kg*m^2");
    const tac__unit mah = parse("mAh"), coulomb = parse("C");
    assert_true(tac__factor_apply(tac__unit_factor(&mah, &coulomb), 5200.0) == 18720.0);
    assert_true(tac__factor_apply(tac__unit_factor(&in, &m), 1.0) == 0.0254);
    assert_true(tac__factor_apply(tac__unit_factor(&in, &m), 10.0) == 0.254);
    assert_true(tac__factor_apply(tac__unit_factor(&area, &si), 1.0) == 6.4516e-7);
    assert_true(tac__factor_apply(tac__unit_factor(&ft, &m), 1.0) == 0.3048);
    assert_true(tac__factor_apply(tac__unit_factor(&ft, &m), 10000.0) == 3048.0);
    assert_true(tac__factor_apply(tac__unit_factor(&kt, &m_s), 3600.0) == 1852.0);
    assert_true(fabs(tac__factor_apply(tac__unit_factor(&kt, &m_s), 1.0) - 1852.0 / 3600.0) <
                DBL_EPSILON);
}

static const char *const all_units[] = {
    "1",   "m",    "g",  "kg", "s",    "A",   "K",     "rad", "deg", "rev", "rpm", "Hz",
    "N",   "Pa",   "J",  "W",  "Wh",   "V",   "Ohm",   "ohm", "F",   "C",   "Ah",  "T",
    "bar", "min",  "h",  "in", "ft",   "kt",  "gauss", "%",   "km",  "cm",  "mm",  "um",
    "µm",  "nm",   "ms", "us", "kHz",  "MHz", "GHz",   "kN",  "hPa", "kPa", "MPa", "kJ",
    "mAh", "mrad", "mT", "nT", "mbar", "kWh", "mV",    "kV",  "mA",  "uF",  "mW",  "mOhm"};

// To another unit and back is the same to a few roundings; to itself it is exact.
static void test_there_and_back(void **state)
{
    (void)state;
    enum { COUNT = sizeof all_units / sizeof *all_units };
    for (size_t i = 0; i < COUNT; i++) {
        check_same(all_units[i], all_units[i]);
        for (size_t j = 0; j < COUNT; j++) {
            const tac__unit a = parse(all_units[i]), b = parse(all_units[j]);
            if (!tac__unit_compatible(&a, &b))
                continue;
            for (double x = 0.1; x < 1e6; x *= 7.3) {
                const double there = tac__factor_apply(tac__unit_factor(&a, &b), x);
                const double back = tac__factor_apply(tac__unit_factor(&b, &a), there);
                if (fabs(back - x) > 4 * DBL_EPSILON * x)
                    fail_msg("%.17g '%s' is %.17g '%s' is %.17g", x, all_units[i], there,
                             all_units[j], back);
            }
        }
    }
}

static void check_refused(const char *text, const char *words)
{
    tac__unit unit;
    tac_error err;
    tac_error_clear(&err);
    if (tac__unit_parse(text, &unit, &err) != TAC_E_UNIT)
        fail_msg("'%s' is not refused as a unit", text);
    if (!strstr(err.text, words))
        fail_msg("'%s' gives \"%s\", expected \"%s\"", text, err.text, words);
    assert_int_equal(tac__unit_parse(text, &unit, NULL), TAC_E_UNIT);
}

static void test_refused(void **state)
{
    (void)state;
    check_refused("ms2", "unknown unit 'ms2'");
    check_refused("furlong", "unknown unit 'furlong'");
    check_refused("m/sec", "unknown unit 'sec' in 'm/sec'");
    check_refused("inches", "did you mean 'in'?");
    check_refused("feet", "did you mean 'ft'?");
    check_refused("Knots", "did you mean 'kt'?");
    check_refused("mah", "did you mean 'mAh'?");
    check_refused("kin", "unknown unit 'kin'"); // no prefix before an inch
    check_refused("furlong", "expected a product of 1, m, g, s, A,");
    check_refused("hz", "did you mean 'Hz'?");
    check_refused("RAD", "did you mean 'rad'?");
    check_refused("Deg", "did you mean 'deg'?");
    check_refused("kdeg", "unknown unit 'kdeg'"); // no prefix before a degree
    check_refused("mmin", "unknown unit");
    check_refused("kkg", "unknown unit");
    check_refused("m s", "");
    check_refused("m.s", "");
    check_refused("m*", "m*");
    check_refused("/s", "/s");
    check_refused("m//s", "m//s");
    check_refused(" m", "");
    check_refused("m ", "");
    check_refused("m^", "power");
    check_refused("m^x", "power");
    check_refused("m^0.5", "");
    check_refused("m^9", "from -8 to 8");
    check_refused("m^-9", "from -8 to 8");
    check_refused("m^99999999999999999999", "power");
    check_refused("m^2^2", "");
    check_refused("m*m*m*m*m*m*m*m*m*m*m*m*m*m*m*m*m", "too complicated");
    check_refused("ft^8*ft^8*ft^8", "too complicated"); // its exact scale does not fit
    check_refused("m\xff", "unknown unit");
    static char long_text[10000];
    memset(long_text, 'q', sizeof long_text - 1);
    check_refused(long_text, "unknown unit 'qqq");
}

static void check_quantity(const char *text, const char *unit, double expected)
{
    double value = -1;
    tac_error err;
    if (tac__quantity_parse(text, unit, &value, &err) != TAC_OK)
        fail_msg("'%s' in '%s' is refused: %s", text, unit ? unit : "(null)", err.text);
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("'%s' in '%s' is %.17g, expected %.17g", text, unit ? unit : "(null)", value,
                 expected);
}

static void check_no_quantity(const char *text, const char *unit, tac_status expected)
{
    double value;
    tac_error err;
    const tac_status status = tac__quantity_parse(text, unit, &value, &err);
    if (status != expected)
        fail_msg("'%s' in '%s' gives %s, expected %s", text, unit, tac_status_name(status),
                 tac_status_name(expected));
    if (!strstr(err.text, "'"))
        fail_msg("'%s': the message names nothing: %s", text, err.text);
}

static void test_quantities(void **state)
{
    (void)state;
    const double pi = acos(-1.0);
    check_quantity("1.5", "m", 1.5); // in the unit already
    check_quantity("1.5", NULL, 1.5);
    check_quantity("-2e-3", "", -2e-3);
    check_quantity("0.1 m", "m", 0.1); // the ratio is 1: no rounding
    check_quantity("2e-3 kg", "kg", 2e-3);
    check_quantity("2 g", "kg", 0.002);
    check_quantity("30 deg", "rad", 30 * pi / 180);
    check_quantity("180deg", "rad", pi);
    check_quantity("250 Hz", "1/s", 250);
    check_quantity("5000 mAh", "Ah", 5);
    check_quantity("5 Ah", "C", 18000);
    check_quantity("50 %", "1", 0.5);
    check_quantity("50%", NULL, 0.5);
    check_quantity("3 m/s^2", "m/s^2", 3);
    check_quantity("36 km/h", "m/s", 10);
    check_quantity("-0", "m", -0.0);
    check_no_quantity("", "m", TAC_E_TYPE);
    check_no_quantity("m", "m", TAC_E_TYPE);
    check_no_quantity("ten", "m", TAC_E_TYPE);
    check_no_quantity("nan", "m", TAC_E_TYPE);
    check_no_quantity("0x10", "m", TAC_E_TYPE);
    check_no_quantity("3 s", "m", TAC_E_UNIT);
    check_no_quantity("3 m", "1", TAC_E_UNIT);
    check_no_quantity("3 m", NULL, TAC_E_UNIT);
    check_no_quantity("3 furlong", "m", TAC_E_UNIT);
    check_no_quantity("3 4", "m", TAC_E_UNIT);
    check_no_quantity("3 rad/s", "Hz", TAC_E_UNIT);
}

static void test_multiply(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *product, *quotient;
    } rows[] = {
        {"m", "s", "m*s", "m/s"},          {"km", "h", "km*h", "km/h"},
        {"1", "deg", "deg", "1/deg"},      {"kg*m/s^2", "m", "N*m", "kg/s^2"},
        {"rpm", "ft", "rpm*ft", "rpm/ft"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tac__unit b = parse(rows[i].b), product = parse(rows[i].product),
                        quotient = parse(rows[i].quotient);
        tac__unit a = parse(rows[i].a);
        assert_true(tac__unit_multiply(&a, &b, 1));
        assert_true(tac__unit_same(&a, &product));
        a = parse(rows[i].a);
        assert_true(tac__unit_multiply(&a, &b, -1));
        assert_true(tac__unit_same(&a, &quotient));
    }
    // Beyond all sense: refused, whatever grows too large.
    static const char *const grow[] = {"m", "Mm", "deg", "Ah"};
    for (size_t i = 0; i < sizeof grow / sizeof *grow; i++) {
        const tac__unit b = parse(grow[i]);
        tac__unit a = b;
        int n = 0;
        while (n < 1000 && tac__unit_multiply(&a, &b, 1))
            n++;
        assert_in_range(n, 4, 40);
    }
}

TEST_MAIN(cmocka_unit_test(test_dimensions), cmocka_unit_test(test_same),
          cmocka_unit_test(test_factors), cmocka_unit_test(test_there_and_back),
          cmocka_unit_test(test_refused), cmocka_unit_test(test_quantities),
          cmocka_unit_test(test_multiply))
