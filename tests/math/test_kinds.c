// One model source gives the same bits as doubles, as lanes, as dual numbers and as a graph.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <tactus/math.h>

#include "support/golden_math.h"
#include "base/hash.h"
#include "graph.h"
#include "inputs.h"

enum { INPUTS = 8, OUTPUTS = 128, LANES = 8, DIRECTIONS = 8, BATCHES = 12800 };

// The kind_* units. A pack is 4 or 8 doubles, a dual is 1 + DIRECTIONS, a node is an int.
int tac__sample_f64(const double *in, double *out);
int tac__sample_pack4(const double *in, double *out);
int tac__sample_pack8(const double *in, double *out);
int tac__sample_dual(const double *in, double *out);
int tac__sample_sym(const tac__sym_value *in, tac__sym_value *out);

static void check_same(const char *kind, int output, const double *in, double got, double expected)
{
    if (same_bits(got, expected))
        return;
    for (int i = 0; i < INPUTS; i++)
        print_message("  in[%d] = %a\n", i, in[i]);
    fail_msg("%s: output %d is %a (%.17g), in f64 %a (%.17g)", kind, output, got, got, expected,
             expected);
}

static void trace_sample(tac__sym_value *outputs)
{
    tac__sym_value inputs[INPUTS];
    graph_begin(INPUTS, inputs);
    tac__sample_sym(inputs, outputs);
}

// Every lane has hostile inputs of its own, so a lane that leaks into its neighbour shows.
static void test_kinds_give_the_same_bits(void **state)
{
    (void)state;
    tac__sym_value graph_out[OUTPUTS];
    trace_sample(graph_out);

    uint64_t seed = 1;
    tac__hash hash = TAC__HASH_SEED;
    int n = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        double in[LANES][INPUTS], out[LANES][OUTPUTS];
        _Alignas(64) double in8[INPUTS][8], out8[OUTPUTS][8];
        _Alignas(64) double in4[2][INPUTS][4], out4[2][OUTPUTS][4];
        for (int lane = 0; lane < LANES; lane++) {
            for (int i = 0; i < INPUTS; i++) {
                double x = input_hostile(&seed);
                in[lane][i] = in8[i][lane] = in4[lane / 4][i][lane % 4] = x;
            }
        }
        n = tac__sample_pack8(&in8[0][0], &out8[0][0]);
        tac__sample_pack4(&in4[0][0][0], &out4[0][0][0]);
        tac__sample_pack4(&in4[1][0][0], &out4[1][0][0]);

        for (int lane = 0; lane < LANES; lane++) {
            assert_int_equal(tac__sample_f64(in[lane], out[lane]), n);

            double dual_in[INPUTS][1 + DIRECTIONS] = {{0}}, dual_out[OUTPUTS][1 + DIRECTIONS];
            for (int i = 0; i < INPUTS; i++)
                dual_in[i][0] = in[lane][i];
            tac__sample_dual(&dual_in[0][0], &dual_out[0][0]);

            static double values[GRAPH_MAX];
            graph_eval(in[lane], values);

            for (int o = 0; o < n; o++) {
                double expected = out[lane][o];
                check_same("pack8", o, in[lane], out8[o][lane], expected);
                check_same("pack4", o, in[lane], out4[lane / 4][o][lane % 4], expected);
                check_same("dual", o, in[lane], dual_out[o][0], expected);
                check_same("sym", o, in[lane], graph_value(values, graph_out[o]), expected);
                hash = tac__hash_f64(hash, expected);
            }
        }
    }
    hash = tac__hash_end(hash);
    print_message("%d samples, %d outputs, %d terms, hash %016llx\n", BATCHES * LANES, n,
                  graph_size(), (unsigned long long)hash);
    graph_end();
    // The same on every machine and compiler as long as the elementary functions are.
    if (is_golden_math())
        assert_int_equal(hash, UINT64_C(0xdfcd9fd7cd86b384));
}

// a * b rounds to 1 exactly; fused with the addition, 2^-60 would remain.
static void test_nothing_is_contracted(void **state)
{
    (void)state;
    const double in[INPUTS] = {1.0 + 0x1p-30, 1.0 - 0x1p-30, -1.0};
    double out[OUTPUTS], dual_in[INPUTS][1 + DIRECTIONS] = {{0}}, dual_out[OUTPUTS][1 + DIRECTIONS];
    _Alignas(64) double in4[INPUTS][4] = {{0}}, in8[INPUTS][8] = {{0}};
    _Alignas(64) double out4[OUTPUTS][4], out8[OUTPUTS][8];
    for (int i = 0; i < INPUTS; i++)
        in4[i][3] = in8[i][5] = dual_in[i][0] = in[i];
    tac__sample_f64(in, out);
    tac__sample_pack4(&in4[0][0], &out4[0][0]);
    tac__sample_pack8(&in8[0][0], &out8[0][0]);
    tac__sample_dual(&dual_in[0][0], &dual_out[0][0]);
    assert_true(out[0] == 0.0);
    assert_true(out4[0][3] == 0.0);
    assert_true(out8[0][5] == 0.0);
    assert_true(dual_out[0][0] == 0.0);
}

// Fourth-order central difference of output `o` along input `i`.
static double difference(const double *in, int i, int o, double h)
{
    double f[4];
    static const int steps[4] = {-2, -1, 1, 2};
    for (int s = 0; s < 4; s++) {
        double x[INPUTS], out[OUTPUTS];
        memcpy(x, in, sizeof x);
        x[i] += steps[s] * h;
        tac__sample_f64(x, out);
        f[s] = out[o];
    }
    return (f[0] - f[3] + 8.0 * (f[2] - f[1])) / (12.0 * h);
}

static void test_dual_derivatives_match_differences(void **state)
{
    (void)state;
    uint64_t seed = 2;
    int compared = 0, skipped = 0;
    for (int trial = 0; trial < 50; trial++) {
        double in[INPUTS], dual_in[INPUTS][1 + DIRECTIONS] = {{0}}, out[OUTPUTS][1 + DIRECTIONS];
        for (int i = 0; i < INPUTS; i++) {
            in[i] = dual_in[i][0] = input_uniform(&seed, 0.1, 0.9);
            dual_in[i][1 + i] = 1.0;
        }
        int n = tac__sample_dual(&dual_in[0][0], &out[0][0]);
        for (int i = 0; i < INPUTS; i++) {
            for (int o = 0; o < n; o++) {
                // Two step widths that disagree straddle a kink, or the function is too steep.
                double coarse = difference(in, i, o, 1e-3), fine = difference(in, i, o, 5e-4);
                double tolerance = 1e-8 * (1.0 + fabs(fine));
                if (!(fabs(coarse - fine) < tolerance)) {
                    skipped++;
                    continue;
                }
                compared++;
                if (!(fabs(out[o][1 + i] - fine) < 10.0 * tolerance))
                    fail_msg("d out[%d] / d in[%d] is %.12g, by differences %.12g", o, i,
                             out[o][1 + i], fine);
            }
        }
    }
    print_message("%d derivatives compared, %d skipped\n", compared, skipped);
    assert_true(skipped * 10 < compared);
}

// 0 times infinity must not make a NaN out of a direction that does not matter.
static void test_dual_at_edges(void **state)
{
    (void)state;
    enum { ABS = 1, SQRT = 2, MIN = 5, POW = 30 };
    double in[INPUTS][1 + DIRECTIONS] = {{0}}, out[OUTPUTS][1 + DIRECTIONS];
    in[1][0] = 2.0;
    in[0][1] = in[1][2] = 1.0;
    tac__sample_dual(&in[0][0], &out[0][0]);
    assert_true(isinf(out[SQRT][1]) && out[SQRT][2] == 0.0);
    assert_true(out[POW][0] == 0.0 && out[POW][1] == 0.0 && out[POW][2] == 0.0); // 0^2
    assert_true(out[MIN][1] == 1.0 && out[MIN][2] == 0.0);

    in[0][0] = -3.0;
    tac__sample_dual(&in[0][0], &out[0][0]);
    assert_true(out[ABS][1] == -1.0);
    assert_true(out[POW][0] == 9.0 && out[POW][1] == -6.0); // (-3)^2, not by way of a logarithm

    in[0][0] = in[1][0] = 0.0;
    tac__sample_dual(&in[0][0], &out[0][0]);
    assert_true(out[POW][0] == 1.0 && out[POW][1] == 0.0); // x^0 is flat, at x = 0 too
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_give_the_same_bits),
        cmocka_unit_test(test_nothing_is_contracted),
        cmocka_unit_test(test_dual_derivatives_match_differences),
        cmocka_unit_test(test_dual_at_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
