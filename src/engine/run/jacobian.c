// jacobian.c - the derivative of an island's right-hand side by its states: the equations are
// evaluated in duals, with states seeded with unit directions, a few at a time.
#include "engine/run/evaluator.h"
#include "engine/run/integrate.h"

#include <string.h>

enum { WIDTH = TAC_DUAL_WIDTH, DIRECTIONS = TAC_DUAL_DIRECTIONS };

struct tac__jacobian {
    tac__evaluator *duals;
    tac__subject subject; // the island
    double *dx;
};

// Columns of the Jacobian at work.z, as many at a time as a dual has directions.
static tac_status jacobian(void *context, double t_s, double *j)
{
    const tac__island *island = context;
    const tac__jacobian *dual = island->jacobian;
    double *x = dual->duals->x;
    const size_t n = island->plan->x_count;
    tac__subject_modes(dual->duals, &dual->subject);
    tac__evaluator_hold(dual->duals, &dual->subject);
    for (size_t first = 0; first < n; first += DIRECTIONS) {
        memset(x, 0, n * WIDTH * sizeof *x);
        for (size_t i = 0; i < n; i++)
            x[i * WIDTH] = island->work.z[i];
        const size_t columns = n - first < DIRECTIONS ? n - first : DIRECTIONS;
        for (size_t k = 0; k < columns; k++)
            x[(first + k) * WIDTH + 1 + k] = 1;
        TAC_TRY(tac__evaluator_derive(dual->duals, &t_s, dual->dx));
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < columns; k++)
                j[i * n + first + k] = dual->dx[i * WIDTH + 1 + k];
        }
    }
    return TAC_OK;
}

tac_status tac__jacobian_prepare(tac_engine *e, tac__island *island)
{
    if (!tac__evaluator_exists(e, island, TAC_DUALS))
        return TAC_OK; // without duals the method takes differences
    tac__jacobian *dual = tac__arena_alloc(&e->scratch, sizeof *dual);
    if (!dual)
        return TAC_E_MEMORY;
    dual->dx = tac__arena_array(&e->scratch, island->plan->x_count * WIDTH, sizeof *dual->dx);
    if (!dual->dx)
        return TAC_E_MEMORY;
    TAC_TRY(tac__evaluator_make(e, &e->scratch, island, TAC_DUALS, NULL, &dual->duals));
    TAC_TRY(tac__subject_make(&e->scratch, dual->duals, &island, NULL, &dual->subject));
    tac__evaluator_aim(dual->duals, &dual->subject);
    island->jacobian = dual;
    island->problem.jacobian = jacobian;
    return TAC_OK;
}
