// format.h - the configuration format as tables: what every key means, in one place.
#ifndef TAC_CONFIG_FORMAT_H
#define TAC_CONFIG_FORMAT_H

#include "config/spec.h"
#include <tactus/config.h>

extern const tac__spec tac__format; // the whole file
extern const tac__spec tac__format_scheduler;
extern const tac__spec tac__format_group;
extern const tac__spec tac__format_sync;
extern const tac__spec tac__format_sync_rule;
extern const tac__spec tac__format_plant;
extern const char *const tac__lanes_words[]; // auto, 1, 2, 4, 8
extern const tac__spec tac__format_integrator;
extern const tac__spec tac__format_timeline;
extern const tac__spec tac__format_world;
extern const tac__spec tac__format_component;
extern const tac__spec tac__format_route;
extern const tac__spec tac__format_entity;
extern const tac__spec tac__format_phases; // at the root, without the keys of its type
extern const tac__spec tac__format_event;  // of the scenario, without the keys of its type
extern const tac__spec tac__format_link;
extern const tac__spec tac__format_normal; // delays of links
extern const tac__spec tac__format_exponential;
extern const tac__spec tac__format_log;
extern const tac__spec tac__format_record;
extern const tac__spec tac__format_record_rule;
extern const tac__spec tac__format_expectation;
extern const tac__spec tac__format_trim;
extern const tac__spec tac__format_bounds;
extern const tac__spec tac__format_linearize;
extern const tac__spec tac__format_optimize;
extern const tac__spec tac__format_optimize_phase;
extern const tac__spec tac__format_free_duration;
extern const tac__spec tac__format_federation;
extern const tac__spec tac__format_publish;
extern const tac__spec tac__format_subscribe;
extern const tac__spec tac__format_process;

#endif
