// Atmosphere, gravity and geodesy against published values, identities and the same in every lane.
#include "support/test.h"

#include <stdio.h>

#define TAC_KIND_F64
#include "model/lanes.h"
#include "model/world/atmosphere.h"
#include "model/world/geodesy.h"
#include "model/world/gravity.h"

#define KIND(kind)                                                                                 \
    void entry_atmosphere_##kind(const double *altitude, double *out);                             \
    void entry_gravity_##kind(const tac_world *w, const double *at, double *out);                  \
    void entry_geodesy_##kind(const tac__geodesy *g, const double *at, double *out);
KIND(f64)
KIND(pack4)
KIND(pack8)
KIND(dual)

#define PI  3.14159265358979323846
#define DEG (PI / 180)

static void near(double got, double expected, double tolerance, const char *what)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g", what, got, expected);
}

static void close_to(double got, double expected, double relative, const char *what)
{
    near(got, expected, relative * fabs(expected), what);
}

// --- atmosphere ---------------------------------------------------------------------------------

// U.S. Standard Atmosphere 1976, table I: by geometric altitude.
static void test_published_table(void **state)
{
    (void)state;
    static const struct {
        double z, t, p, rho;
    } rows[] = {{-1000, 294.651, 1.1393e5, 1.3470},    {0, 288.150, 1.01325e5, 1.2250},
                {1000, 281.651, 8.9876e4, 1.1117},     {5000, 255.676, 5.4048e4, 7.3643e-1},
                {10000, 223.252, 2.6500e4, 4.1351e-1}, {20000, 216.650, 5.5293e3, 8.8910e-2},
                {25000, 221.552, 2.5492e3, 4.0084e-2}, {30000, 226.509, 1.1970e3, 1.8410e-2},
                {40000, 250.350, 2.8714e2, 3.9957e-3}, {50000, 270.650, 7.9779e1, 1.0269e-3},
                {60000, 247.021, 2.1958e1, 3.0968e-4}, {70000, 219.585, 5.2209e0, 8.2829e-5},
                {80000, 198.639, 1.0525e0, 1.8458e-5}, {86000, 186.946, 3.7338e-1, 6.958e-6}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double rho, t, p;
        char what[64];
        snprintf(what, sizeof what, "at %g m", rows[i].z);
        atmosphere_at(rows[i].z, &rho, &t, &p);
        near(t, rows[i].t, 0.00051, what);
        close_to(p, rows[i].p, 5e-5, what);
        close_to(rho, rows[i].rho, 8e-5, what);
    }
}

// The bases of the layers, by geopotential altitude.
static void test_published_layers(void **state)
{
    (void)state;
    static const struct {
        double h, t, p;
    } rows[] = {{11000, 216.65, 22632.06},  {20000, 216.65, 5474.889}, {32000, 228.65, 868.0187},
                {47000, 270.65, 110.9063},  {51000, 270.65, 66.93887}, {71000, 214.65, 3.956420},
                {84852, 186.946, 0.3733836}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double z = 6356766.0 * rows[i].h / (6356766.0 - rows[i].h);
        double rho, t, p;
        char what[64];
        snprintf(what, sizeof what, "at %g geopotential metres", rows[i].h);
        atmosphere_at(z, &rho, &t, &p);
        near(t, rows[i].t, 5e-4, what);
        close_to(p, rows[i].p, 2e-7, what);
    }
}

// The pressure is what its own density weighs: d log(p)/dz = -rho g/p, integrated upwards by
// Simpson's rule.
static void test_hydrostatic_balance(void **state)
{
    (void)state;
    enum { LOWEST = -5000, STEP = 5 };
    double rho, t, p, log_p = 0;
    for (int z = LOWEST; z <= 120000; z += STEP) {
        double slope[3];
        for (int k = 0; k < 3; k++) {
            const double at = z + 0.5 * STEP * k, r = 6356766.0 / (6356766.0 + at);
            atmosphere_at(at, &rho, &t, &p);
            slope[k] = -rho * 9.80665 * r * r / p;
            if (k == 0 && z == LOWEST)
                log_p = log(p);
            else if (k == 0)
                near(log(p), log_p, 3e-9, "weight of the air");
        }
        log_p += STEP / 6.0 * (slope[0] + 4 * slope[1] + slope[2]);
    }
    atmosphere_at(0, &rho, &t, &p);
    assert_true(p == 101325 && t == 288.15);
}

// Near the ground a polynomial stands for the power law: the same to the last bits.
static void test_polynomial(void **state)
{
    (void)state;
    for (double z = -4400; z < 4400; z += 0.7) {
        double rho, t, p;
        atmosphere_at(z, &rho, &t, &p);
        const long double h = (long double)(6356766.0 * z / (6356766.0 + z));
        const long double n = 9.80665L * 0.0289644L / (8.31432L * 0.0065L);
        const long double truth = 101325.0L * powl(1.0L - 0.0065L * h / 288.15L, n);
        close_to(p, (double)truth, 6e-16, "pressure");
        close_to(rho, (double)(truth * 0.0289644L / (8.31432L * (288.15L - 0.0065L * h))), 8e-16,
                 "density");
    }
}

static void test_altitude_of_pressure(void **state)
{
    (void)state;
    for (double z = -5000; z < 150000; z += 13.7) {
        double rho, t, p;
        atmosphere_at(z, &rho, &t, &p);
        near(atmosphere_altitude(p), z, 2e-10 * (1000 + fabs(z)), "altitude");
    }
}

// dp/dz = -rho g, by the derivative of each side of each select.
static void test_derivative(void **state)
{
    (void)state;
    for (double z = -6000; z < 130000; z += 77.7) {
        double in[LANES_DUAL] = {z, 1}, out[4][LANES_DUAL];
        entry_atmosphere_dual(in, &out[0][0]);
        const double r = 6356766.0 / (6356766.0 + z);
        close_to(out[2][1], -out[0][0] * 9.80665 * r * r, 1e-13, "dp/dz");
        near(out[3][1], 1, 1e-9, "dz/dz");
    }
}

// --- gravity ------------------------------------------------------------------------------------

static void test_gravity(void **state)
{
    (void)state;
    tac_world w = {.altitude_m = 488, .g_m_s2 = 9.81, .gravity = TAC_GRAVITY_UNIFORM};
    vec3 g = gravity_at(w.gravity, w.g_m_s2, w.altitude_m, vec3_make(1e5, -3e5, -2e4));
    assert_true(g.x == 0 && g.y == 0 && g.z == 9.81);

    w.gravity = TAC_GRAVITY_CENTRAL;
    g = gravity_at(w.gravity, w.g_m_s2, w.altitude_m, vec3_make(0, 0, 0));
    assert_true(g.x == 0 && g.y == 0);
    close_to(g.z, 3.986004418e14 / (6378625.0 * 6378625.0), 1e-15, "at the origin");
    // A quarter of the way round: the centre lies to the south.
    g = gravity_at(w.gravity, w.g_m_s2, w.altitude_m, vec3_make(6378625, 0, 6378625));
    close_to(g.x, -3.986004418e14 / (6378625.0 * 6378625.0), 1e-15, "on the side");
    assert_true(g.y == 0 && g.z == 0);
    // Twice as far, a quarter.
    g = gravity_at(w.gravity, w.g_m_s2, w.altitude_m, vec3_make(0, 0, -6378625));
    close_to(g.z, 0.25 * 3.986004418e14 / (6378625.0 * 6378625.0), 1e-15, "twice as far");
}

// --- geodesy ------------------------------------------------------------------------------------

static void test_known_points(void **state)
{
    (void)state;
    static const struct {
        double latitude, longitude, altitude, x, y, z;
    } points[] = {{0, 0, 0, 6378137, 0, 0},
                  {90, 0, 0, 0, 0, 6356752.314245179},
                  {-90, 0, 100, 0, 0, -6356852.314245179},
                  {0, 90, 1000, 0, 6379137, 0},
                  {45, 0, 0, 4517590.878848932, 0, 4487348.408865919},
                  {0, 180, 0, -6378137, 0, 0}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const geodetic p = {points[i].latitude * DEG, points[i].longitude * DEG,
                            points[i].altitude};
        const vec3 r = geodesy_to_ecef(p);
        near(r.x, points[i].x, 3e-9, "x");
        near(r.y, points[i].y, 3e-9, "y");
        near(r.z, points[i].z, 3e-9, "z");
        const geodetic back = geodesy_from_ecef(r);
        near(back.latitude, p.latitude, 4e-16, "latitude");
        near(back.altitude, p.altitude, 3e-9, "altitude");
        if (fabs(p.latitude) < 1.5)
            near(back.longitude, p.longitude, 5e-16, "longitude");
    }
}

// A point on the ellipsoid satisfies its equation, and the normal there rises at the latitude.
static void test_ellipsoid(void **state)
{
    (void)state;
    const double a = 6378137, b = a * (1 - 1 / 298.257223563);
    for (double latitude = -89.9; latitude < 90; latitude += 0.7) {
        const geodetic p = {latitude * DEG, 0.3, 0};
        const vec3 r = geodesy_to_ecef(p), up = geodesy_to_ecef((geodetic){p.latitude, 0.3, 1000});
        const double across = sqrt(r.x * r.x + r.y * r.y);
        near(across * across / (a * a) + r.z * r.z / (b * b), 1, 1e-15, "ellipsoid");
        near(atan2(r.z / (b * b), across / (a * a)), p.latitude, 4e-16, "normal");
        const double n[3] = {r.x / (a * a), r.y / (a * a), r.z / (b * b)};
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        near((up.x - r.x) / 1000, n[0] / length, 4e-12, "up");
        near((up.z - r.z) / 1000, n[2] / length, 4e-12, "up");
    }
}

// There and back again anywhere, to what a double can tell at the distance of the Earth's radius.
static void test_round_trips(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 100000; i++) {
        const tac_world w = {.latitude_rad = input_uniform(&seed, -90, 90) * DEG,
                             .longitude_rad = input_uniform(&seed, -180, 180) * DEG,
                             .altitude_m = input_uniform(&seed, -400, 9000),
                             .geodesy = i % 2 ? TAC_GEODESY_WGS84 : TAC_GEODESY_SPHERE};
        tac__geodesy g;
        tac__geodesy_init(&g, &w);
        const double reach = i % 3 == 0 ? 10 : i % 3 == 1 ? 1e4 : 1e6;
        const double at[3] = {input_uniform(&seed, -reach, reach),
                              input_uniform(&seed, -reach, reach),
                              input_uniform(&seed, -reach, 0.01 * reach)};
        double out[6];
        entry_geodesy_f64(&g, at, out);
        const double bound = w.geodesy == TAC_GEODESY_WGS84 ? 6e-9 : 3e-9;
        for (int k = 0; k < 3; k++)
            near(out[3 + k], at[k], bound * (1 + 1e-6 * reach), "round trip");
    }
}

// Near the origin the axes point where they say, at the curvatures of the ellipsoid there.
static void test_axes(void **state)
{
    (void)state;
    const double latitude = 47.397742 * DEG, longitude = 8.545594 * DEG;
    const tac_world w = {latitude, longitude, 488, TAC_GEODESY_WGS84, 0, 0, 0};
    tac__geodesy g;
    tac__geodesy_init(&g, &w);
    const double a = 6378137, e2 = 0.0066943799901413165, s2 = sin(latitude) * sin(latitude);
    const double n = a / sqrt(1 - e2 * s2), m = a * (1 - e2) / pow(1 - e2 * s2, 1.5);
    const geodetic north = geodesy_from_ned(&g, vec3_make(1, 0, 0));
    const geodetic east = geodesy_from_ned(&g, vec3_make(0, 1, 0));
    const geodetic up = geodesy_from_ned(&g, vec3_make(0, 0, -1));
    close_to(north.latitude - latitude, 1 / (m + 488), 3e-8, "north");
    near(north.longitude, longitude, 1e-15, "north");
    close_to(east.longitude - longitude, 1 / ((n + 488) * cos(latitude)), 3e-8, "east");
    near(east.latitude, latitude, 1e-13, "east");
    near(up.altitude, 489, 3e-9, "up");
    near(up.latitude, latitude, 3e-16, "up");
}

static void test_sphere(void **state)
{
    (void)state;
    const tac_world w = {0.8, 0.1, 488, TAC_GEODESY_SPHERE, 0, 0, 0};
    tac__geodesy g;
    tac__geodesy_init(&g, &w);
    const geodetic p = geodesy_from_ned(&g, vec3_make(1000, -2000, -30));
    near(p.latitude, 0.8 + 1000 / 6378137.0, 2e-16, "latitude");
    near(p.longitude, 0.1 - 2000 / (6378137.0 * cos(0.8)), 2e-16, "longitude");
    assert_true(p.altitude == 518);
}

// --- lanes --------------------------------------------------------------------------------------

static tac_world central = {.altitude_m = 488, .gravity = TAC_GRAVITY_CENTRAL};
static tac__geodesy wgs84, sphere;

enum { INPUTS = 4, OUTPUTS = 4 + 3 + 6 + 6 };

#define ALL(kind, width)                                                                           \
    static void all_##kind(const double *in, double *out)                                          \
    {                                                                                              \
        entry_atmosphere_##kind(in, out);                                                          \
        entry_gravity_##kind(&central, in + 1 * (width), out + 4 * (width));                       \
        entry_geodesy_##kind(&wgs84, in + 1 * (width), out + 7 * (width));                         \
        entry_geodesy_##kind(&sphere, in + 1 * (width), out + 13 * (width));                       \
    }
ALL(f64, 1)
ALL(pack4, 4)
ALL(pack8, 8)
ALL(dual, LANES_DUAL)

static double lanes_input(uint64_t *seed, int i)
{
    if (input_bits(seed) % 4 == 0)
        return input_hostile(seed);
    return i == 0 ? input_uniform(seed, -6000, 100000) : input_uniform(seed, -1e5, 1e5);
}

static void test_lanes(void **state)
{
    (void)state;
    const tac_world w = {0.8, 0.1, 488, TAC_GEODESY_WGS84, 0, 0, 0};
    tac__geodesy_init(&wgs84, &w);
    sphere = wgs84;
    sphere.kind = TAC_GEODESY_SPHERE;
    lanes_compare(
        &(lanes_case){all_f64, all_pack4, all_pack8, all_dual, INPUTS, OUTPUTS, lanes_input}, 2000);
}

TEST_MAIN(cmocka_unit_test(test_published_table), cmocka_unit_test(test_published_layers),
          cmocka_unit_test(test_hydrostatic_balance), cmocka_unit_test(test_polynomial),
          cmocka_unit_test(test_altitude_of_pressure), cmocka_unit_test(test_derivative),
          cmocka_unit_test(test_gravity), cmocka_unit_test(test_known_points),
          cmocka_unit_test(test_ellipsoid), cmocka_unit_test(test_round_trips),
          cmocka_unit_test(test_axes), cmocka_unit_test(test_sphere), cmocka_unit_test(test_lanes))
