// ulog_params.c - see ulog_params.h.
#include "record/export/ulog_params.h"
#include "autopilot/px4/params_file.h"
#include "base/file.h"
#include "base/text.h"
#include "record/export/model_text.h"
#include "record/recording.h"

#include <stdio.h>
#include <string.h>

enum { VALUE = 256, ROTORS_MAX = 12 };

typedef struct list {
    tac__export *x;
    tac__ulog_param *items;
    size_t count;
    TAC__CAPACITY(tac__ulog_param) capacity;
} list;

static tac_status add(list *l, const char *name, bool whole, double value, tac_error *err)
{
    for (size_t i = 0; i < l->count; i++) {
        if (strcmp(l->items[i].name, name) != 0)
            continue;
        l->items[i].value = value;
        l->items[i].whole |= whole;
        return TAC_OK;
    }
    if (!TAC__ARENA_GROW(&l->x->arena, l->items, l->count, l->capacity))
        return tac__fail_memory(err);
    tac__ulog_param *p = &l->items[l->count++];
    *p = (tac__ulog_param){.whole = whole, .value = value};
    snprintf(p->name, sizeof p->name, "%s", name);
    return TAC_OK;
}

// Add the type of the vehicle as MAVLink and PX4 number it. It follows from the number of rotors.
static tac_status add_type(list *l, size_t rotors, tac_error *err)
{
    static const struct {
        size_t rotors;
        int mav_type, airframe;
    } types[] = {{3, 15, 14001}, {4, 2, 4001}, {6, 13, 6001}, {8, 14, 8001}};
    int mav_type = 0, airframe = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].rotors != rotors)
            continue;
        mav_type = types[i].mav_type;
        airframe = types[i].airframe;
    }
    TAC_TRY(add(l, "MAV_TYPE", true, mav_type, err));
    TAC_TRY(add(l, "SYS_AUTOSTART", true, airframe, err));
    TAC_TRY(add(l, "CA_AIRFRAME", true, 0, err));
    return add(l, "CA_ROTOR_COUNT", true, (double)rotors, err);
}

// Add the geometry of a rotor under the names by which the bridge sets it.
static tac_status add_rotor(list *l, const char *vehicle, size_t i, tac_error *err)
{
    static const char *const places[] = {"PX", "PY", "PZ"}, *const axes[] = {"AX", "AY", "AZ"};
    const char *model = l->x->about->model;
    char value[VALUE], name[32];
    double numbers[3];
    tac__model_param(model, value, sizeof value, "%s.rotors[%zu].position", vehicle, i);
    for (size_t k = 0; tac__model_numbers(value, numbers, 3) == 3 && k < 3; k++) {
        snprintf(name, sizeof name, "CA_ROTOR%zu_%s", i, places[k]);
        TAC_TRY(add(l, name, false, numbers[k], err));
    }
    tac__model_param(model, value, sizeof value, "%s.rotors[%zu].axis", vehicle, i);
    for (size_t k = 0; tac__model_numbers(value, numbers, 3) == 3 && k < 3; k++) {
        snprintf(name, sizeof name, "CA_ROTOR%zu_%s", i, axes[k]);
        TAC_TRY(add(l, name, false, 0.0 - numbers[k], err));
    }
    double ratio, direction;
    if (!tac__model_param(model, value, sizeof value, "%s.rotors[%zu].propeller.torque_ratio",
                          vehicle, i))
        tac__model_param(model, value, sizeof value, "%s.propeller.torque_ratio", vehicle);
    const bool known = tac__model_numbers(value, &ratio, 1) == 1;
    tac__model_param(model, value, sizeof value, "%s.rotors[%zu].direction", vehicle, i);
    if (!known || tac__model_numbers(value, &direction, 1) != 1)
        return TAC_OK;
    snprintf(name, sizeof name, "CA_ROTOR%zu_KM", i);
    return add(l, name, false, ratio * direction, err);
}

// Add the parameters of the file that `params_file` names. The recording has the file inside, and
// the file has PX4's types.
static tac_status add_file(list *l, tac_error *err)
{
    tac_recording *r = l->x->recording;
    const tac__mcap_info *about = tac__mcap_about(r->reader);
    for (size_t i = 0; i < about->attachment_count; i++) {
        const char *name = about->attachments[i].name;
        tac__px4_file_params params = {0};
        char *bytes;
        size_t size;
        if (!tac__ends_in(name, ".params"))
            continue;
        TAC_TRY(tac__mcap_attachment_read(r->reader, i, &bytes, &size, err));
        const tac_status status =
            tac__px4_params_parse(&l->x->arena, name, bytes, size, &params, NULL);
        tac__file_free(r->allocator, bytes, size);
        for (size_t k = 0; status == TAC_OK && k < params.count; k++)
            TAC_TRY(
                add(l, params.items[k].name, params.items[k].whole, params.items[k].value, err));
        return TAC_OK;
    }
    return TAC_OK;
}

// Add the parameters that `params` sets: lines "param uav.control.params.MPC_XY_CRUISE = 4.5".
static tac_status add_given(list *l, const char *control, tac_error *err)
{
    char prefix[512];
    const size_t length = (size_t)snprintf(prefix, sizeof prefix, "%s.params.", control);
    const char *at = l->x->about->model;
    tac__model_line line;
    while (length < sizeof prefix && tac__model_next(&at, &line)) {
        const char *name = line.name + length, *end;
        const size_t n = line.equal > name ? (size_t)(line.equal - name) : 0;
        char text[32];
        if (n == 0 || n >= sizeof text || strncmp(line.name, prefix, length) != 0)
            continue;
        snprintf(text, sizeof text, "%.*s", (int)n, name);
        const double value = tac__number_parse(line.value, &end);
        if (end == line.end)
            TAC_TRY(add(l, text, false, value, err));
    }
    return TAC_OK;
}

tac_status tac__ulog_params_make(tac__export *x, const tac__ulog_param **params, size_t *count,
                                 tac_error *err)
{
    list l = {.x = x};
    for (size_t i = 0; l.count == 0 && i < tac_recording_signal_count(x->recording); i++) {
        const tac_recorded *s = tac_recording_signal(x->recording, i);
        const char *control = tac_recording_channel(x->recording, s->channel)->component;
        const char *dot = strrchr(control, '.');
        char peer[64], vehicle[512], value[VALUE];
        double rotors;
        if (s->continuous || s->stage != TAC_STAGE_CONTROL || !tac__ends_in(s->name, ".motor") ||
            !tac__model_param(x->about->model, peer, sizeof peer, "%s.vehicle", control))
            continue;
        snprintf(vehicle, sizeof vehicle, "%.*s%s", (int)(dot ? dot + 1 - control : 0), control,
                 peer);
        if (!tac__model_param(x->about->model, value, sizeof value, "%s.rotors", vehicle) ||
            tac__model_numbers(value, &rotors, 1) != 1 || !(rotors >= 1 && rotors <= ROTORS_MAX))
            continue;
        TAC_TRY(add_type(&l, (size_t)rotors, err));
        for (size_t r = 0; r < (size_t)rotors; r++)
            TAC_TRY(add_rotor(&l, vehicle, r, err));
        if (tac__model_param(x->about->model, value, sizeof value, "%s.params_file", control) &&
            *value)
            TAC_TRY(add_file(&l, err));
        TAC_TRY(add_given(&l, control, err));
    }
    *params = l.items;
    *count = l.count;
    return TAC_OK;
}
