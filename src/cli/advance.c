// advance.c - runs an engine in slices of simulated time, to show progress. How a run is divided
// changes no bit of it.
#include "cli/advance.h"
#include "base/error.h"
#include "cli/pace.h"

enum { SLICE_NS = 50000000 };

tac_status cli_advance(tac_engine *engine, tac_time until_us, cli_progress *progress,
                       tac_error *err)
{
    if (!progress->on)
        return tac_engine_run(engine, until_us, err);
    tac_time t_us = tac_engine_time(engine), slice_us = 1000;
    while (t_us < until_us) {
        const int64_t begun_ns = cli_now_ns();
        t_us = until_us - t_us > slice_us ? t_us + slice_us : until_us;
        TAC_TRY(tac_engine_run(engine, t_us, err));
        const int64_t taken_ns = cli_now_ns() - begun_ns;
        if (taken_ns < SLICE_NS / 2 && slice_us < until_us)
            slice_us *= 2;
        else if (taken_ns > SLICE_NS * 2 && slice_us > 1)
            slice_us /= 2;
        cli_progress_update(progress, t_us);
    }
    return TAC_OK;
}
