// doubts.c - what is allowed but looks like a mistake, seen from the whole: warnings of `tactus
// check`. What a component can see alone it says itself (tac_declare_warn).
#include "engine/plan/plan.h"

// Does a sensor or an estimator of the entity read the signal?
static bool is_measured(const tac_engine *e, uint32_t entity, int signal)
{
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        if (c->entity != entity || c->stage != TAC_STAGE_ESTIMATE || !c->type->step)
            continue;
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal == signal)
                return true;
        }
    }
    return false;
}

// What sensors and estimators measure is for them: a controller that reads it too flies with the
// truth.
static void doubt_truth(tac_engine *e, const tac_instance *c)
{
    for (size_t k = 0; k < c->inputs.count; k++) {
        const tac__input *in = &c->in[k];
        if (in->signal < 0 || c->inputs.items[k].peer)
            continue;
        const tac__signal *s = &e->schema.signals[in->signal];
        if (s->continuous && is_measured(e, c->entity, in->signal))
            tac__warn(e, &in->route.place,
                      "'%s.%s' gets the truth, '%s', past the sensors and estimators that "
                      "measure it",
                      c->name, c->inputs.items[k].name, s->name);
    }
}

void tac__doubts(tac_engine *e)
{
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        if (c->stage == TAC_STAGE_CONTROL && c->type->step)
            doubt_truth(e, c);
    }
}
