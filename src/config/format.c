// format.c - the tables of the configuration format. docs/configuration.md says the same in prose;
// the JSON Schema is made from here.
#include "config/format.h"
#include "ode/method.h"

#include <math.h>

static const char *const policy_words[] = {
#define WORD(name, doc) #name,
    TAC_POLICY_TABLE(WORD)
#undef WORD
        NULL};
static const char *const integrator_words[] = {
#define WORD(name, doc) #name,
    TAC__METHOD_TABLE(WORD)
#undef WORD
        NULL};
#define METHOD_DOC(name, doc) " " #name " (" doc ")"
#define METHOD_DOCS           TAC__METHOD_TABLE(METHOD_DOC)
static const char *const coupling_words[] = {"coupled", "split", NULL};
static const char *const stage_words[] = {
#define WORD_0(text)
#define WORD_1(text)                 text,
#define WORD(name, text, steps, doc) WORD_##steps(text)
    TAC_STAGE_TABLE(WORD)
#undef WORD
#undef WORD_1
#undef WORD_0
        NULL};
static const char *const strategy_words[] = {
#define WORD(name, text, doc) text,
    TAC_STRATEGY_TABLE(WORD)
#undef WORD
        NULL};
static const char *const inactive_words[] = {"zero", "hold", NULL};
static const char *const level_words[] = {
#define WORD(name, text) text,
    TAC_LOG_TABLE(WORD)
#undef WORD
        NULL};

static const tac__key pattern_item = {.kind = TAC__KIND_PATTERN};
static const tac__key text_item = {.kind = TAC__KIND_TEXT};
static const tac__key time_item = {.kind = TAC__KIND_TIME};
static const tac__key path_item = {.kind = TAC__KIND_PATH};

// --- scheduler ----------------------------------------------------------------------------------

static const tac__key group_keys[] = {
    {"name", TAC__KIND_NAME, TAC__REQUIRED, .doc = "name of the rate group"},
    {"rate_hz", TAC__KIND_RATE,
     .doc = "steps a second: a whole number of microseconds as a period"},
    {"rate", TAC__KIND_PERIOD, .doc = "the same with a unit: 250 Hz"},
    {"period", TAC__KIND_PERIOD, .doc = "time between two steps: 4 ms"},
    {"offset", TAC__KIND_TIME, .fallback = "0", .doc = "time of the first step"},
    {"times", TAC__KIND_LIST, .of = &time_item,
     .doc = "explicit times, besides a period or instead of one"},
    {"components", TAC__KIND_LIST, .of = &pattern_item,
     .doc = "names or patterns of the components that step with it"},
    {0},
};
const tac__spec tac__format_group = {"rate_group", "A named axis with the components on it.",
                                     group_keys};

static const tac__key sync_rule_keys[] = {
    {"pattern", TAC__KIND_PATTERN, TAC__REQUIRED, .doc = "signals, such as Nav.position*"},
    {"policy", TAC__KIND_WORD, TAC__REQUIRED, .words = policy_words,
     .doc = "how readers in other rate groups see them"},
    {0},
};
const tac__spec tac__format_sync_rule = {
    "synchronization_rule", "A policy for some signals; the last match wins.", sync_rule_keys};
static const tac__key sync_rule_item = {.kind = TAC__KIND_MAP, .spec = &tac__format_sync_rule};

static const tac__key sync_keys[] = {
    {"default_policy", TAC__KIND_WORD, .words = policy_words, .fallback = "ZOH",
     .doc = "how a reader in another rate group sees a signal"},
    {"overrides", TAC__KIND_LIST, .of = &sync_rule_item, .doc = "policies by signal name"},
    {"allow_fast_sync", TAC__KIND_BOOL, .fallback = "false",
     .doc = "let SYNCHRONIZED groups step at more than 10 kHz"},
    {0},
};
const tac__spec tac__format_sync = {"synchronization",
                                    "How signals pass from one rate group to another.", sync_keys};

static const tac__key group_item = {.kind = TAC__KIND_MAP, .spec = &tac__format_group};

static const tac__key scheduler_keys[] = {
    {"rate_groups", TAC__KIND_LIST, .of = &group_item, .doc = "who steps when"},
    {"synchronization", TAC__KIND_MAP, .spec = &tac__format_sync,
     .doc = "policies between rate groups"},
    {"order", TAC__KIND_LIST, .of = &text_item,
     .doc = "explicit order of all components that step, instead of the one by signals"},
    {0},
};
const tac__spec tac__format_scheduler = {"scheduler", "Rates, order and synchronisation.",
                                         scheduler_keys};

// --- plant and timeline -------------------------------------------------------------------------

static const tac__key integrator_keys[] = {
    {"kind", TAC__KIND_WORD, .words = integrator_words, .fallback = "rk4",
     .doc = "the method:" METHOD_DOCS},
    {"rtol", TAC__KIND_NUMBER, .fallback = "1e-6", .doc = "relative tolerance of adaptive methods"},
    {"atol", TAC__KIND_NUMBER,
     .doc = "absolute tolerance, times the scale of a state; as rtol by default"},
    {"h_min", TAC__KIND_TIME, .fallback = "1 us",
     .doc = "an adaptive method that needs a shorter step stops the run"},
    {"h_max", TAC__KIND_TIME,
     .doc = "longest step; by default no limit for adaptive methods, else timeline.physics or 1 "
            "ms"},
    {"max_substeps", TAC__KIND_INTEGER, .fallback = "100000", .min = 1, .max = HUGE_VAL,
     .doc = "most steps of an adaptive method between two boundaries"},
    {0},
};
const tac__spec tac__format_integrator = {"integrator", "How continuous states are integrated.",
                                          integrator_keys};

const char *const tac__lanes_words[] = {"auto", "1", "2", "4", "8", NULL};

static const tac__key plant_keys[] = {
    {"integrator", TAC__KIND_MAP, .spec = &tac__format_integrator, .doc = "method and step"},
    {"coupling", TAC__KIND_WORD, .words = coupling_words, .fallback = "coupled",
     .doc = "integrate the whole plant as one, or its parts one after another"},
    {"lanes", TAC__KIND_WORD, .words = tac__lanes_words, .fallback = "auto",
     .no_bool = "'1' computes vehicles one by one, 'auto' as many at once as is fastest",
     .doc = "how many vehicles that are alike are computed at once, side by side in vector "
            "registers: auto, or at most so many; changes no bit"},
    {0},
};
const tac__spec tac__format_plant = {"plant", "The continuous components.", plant_keys};

static const char *const geodesy_words[] = {"sphere", "wgs84", NULL};
static const char *const gravity_words[] = {"uniform", "central", NULL};

static const tac__key world_keys[] = {
    {"latitude", TAC__KIND_NUMBER, .unit = "deg", .fallback = "0", .min = -90, .max = 90,
     .doc = "of the origin"},
    {"longitude", TAC__KIND_NUMBER, .unit = "deg", .fallback = "0", .min = -180, .max = 180,
     .doc = "of the origin"},
    {"altitude", TAC__KIND_NUMBER, .unit = "m", .fallback = "0", .doc = "of the origin"},
    {"geodesy", TAC__KIND_WORD, .words = geodesy_words, .fallback = "sphere",
     .doc = "from positions to latitude and longitude"},
    {"gravity", TAC__KIND_WORD, .words = gravity_words, .fallback = "uniform",
     .doc = "the same everywhere, or towards the centre of the Earth"},
    {"g", TAC__KIND_NUMBER, .unit = "m/s^2", .fallback = "9.80665", .doc = "of uniform gravity"},
    {"ground", TAC__KIND_NUMBER, .unit = "m", .fallback = "0",
     .doc = "height of the flat ground above the origin"},
    {0},
};
const tac__spec tac__format_world = {"world", "The one world of all vehicles.", world_keys};

static const tac__key timeline_keys[] = {
    {"physics", TAC__KIND_PERIOD, .doc = "an axis on which every island has a boundary"},
    {0},
};
const tac__spec tac__format_timeline = {"timeline", "Axes besides those of the rate groups.",
                                        timeline_keys};

// --- components ---------------------------------------------------------------------------------

static const tac__key route_keys[] = {
    {"from", TAC__KIND_TEXT, TAC__REQUIRED,
     .doc = "the signal: Nav.position; an element as Nav.position[2] or Nav.position.z; or "
            "'outside': values come from the program that holds the engine"},
    {"gain", TAC__KIND_NUMBER, .fallback = "1", .doc = "value = gain * signal + offset"},
    {"offset", TAC__KIND_NUMBER, .fallback = "0", .doc = "in the unit of the input"},
    {"delay", TAC__KIND_TIME, .fallback = "0", .doc = "a whole number of the writer's periods"},
    {"delayed", TAC__KIND_BOOL, .fallback = "false",
     .doc = "see the value of the last boundary; breaks cycles"},
    {"convert", TAC__KIND_BOOL, .fallback = "false",
     .doc = "convert between units of one kind, such as deg and rad"},
    {"policy", TAC__KIND_WORD, .words = policy_words,
     .doc = "for this input, whatever synchronization says"},
    {"rest", TAC__KIND_ANY, .doc = "from outside: the value until another is written"},
    {"pending", TAC__KIND_INTEGER, .fallback = "64", .min = 1, .max = 65536,
     .doc = "from outside: writes for instants to come that there is room for"},
    {0},
};
const tac__spec tac__format_route = {"route", "How an input is connected to a signal.", route_keys};

static const tac__key route_forms[] = {
    {.kind = TAC__KIND_TEXT, .doc = "the signal"},
    {.kind = TAC__KIND_MAP, .spec = &tac__format_route},
    {0},
};
static const tac__key route_item = {.kind = TAC__KIND_EITHER, .of = route_forms};

static const tac__key phase_item = {.kind = TAC__KIND_NAME};
static const tac__key phases_forms[] = {
    {.kind = TAC__KIND_NAME},
    {.kind = TAC__KIND_LIST, .of = &phase_item},
    {0},
};

static const tac__key warning_item = {.kind = TAC__KIND_TEXT};
static const tac__key warnings_forms[] = {
    {.kind = TAC__KIND_TEXT},
    {.kind = TAC__KIND_LIST, .of = &warning_item},
    {0},
};

static const tac__key component_keys[] = {
    {"type", TAC__KIND_TEXT, TAC__REQUIRED, .doc = "component type: see 'tactus info'"},
    {"stage", TAC__KIND_WORD, .words = stage_words, .doc = "where in a boundary it steps"},
    {"params", TAC__KIND_ANY, .doc = "parameters of the type: see 'tactus help TYPE'"},
    {"inputs", TAC__KIND_TABLE, .of = &route_item, .doc = "a signal or a route for each input"},
    {"active", TAC__KIND_EITHER, .of = phases_forms,
     .doc = "the phases of its entity in which it is active; by default all"},
    {"inactive", TAC__KIND_WORD, .words = inactive_words, .fallback = "zero",
     .doc = "what its outputs are in the others"},
    {"accept", TAC__KIND_EITHER, .of = warnings_forms,
     .doc = "ids of its warnings that are known and not given: see docs/warnings.md"},
    {0},
};
const tac__spec tac__format_component = {"component", "Code that reads and writes signals.",
                                         component_keys};
static const tac__key component_item = {.kind = TAC__KIND_MAP, .spec = &tac__format_component};

static const tac__key map_item = {.kind = TAC__KIND_ANY};

static const tac__key entity_keys[] = {
    {"count", TAC__KIND_INTEGER, .min = 1, .max = 100000,
     .doc = "make so many of it: name1, name2, ...; ${i} is the number"},
    {"each", TAC__KIND_LIST, .of = &map_item,
     .doc = "with count: what is different about the first, the second, ..."},
    {"components", TAC__KIND_TABLE, .of = &component_item, .doc = "its components"},
    {"phases", TAC__KIND_ANY, .doc = "its flight phases: see 'tactus help phases'"},
    {0},
};
const tac__spec tac__format_entity = {"entity", "A vehicle or thing: a namespace.", entity_keys};
static const tac__key entity_item = {.kind = TAC__KIND_MAP, .spec = &tac__format_entity};

// --- the whole ----------------------------------------------------------------------------------

static const tac__key normal_keys[] = {
    {"mean", TAC__KIND_TIME, TAC__REQUIRED, .doc = "of the law before it is cut"},
    {"sigma", TAC__KIND_TIME, TAC__REQUIRED, .doc = "standard deviation, before it is cut"},
    {"min", TAC__KIND_TIME, TAC__REQUIRED, .doc = "the least delay: shorter ones become this"},
    {"max", TAC__KIND_TIME, .doc = "the greatest delay: longer ones become this"},
    {0},
};
const tac__spec tac__format_normal = {"normal_delay", "A normal law, cut at both ends.",
                                      normal_keys};

static const tac__key exponential_keys[] = {
    {"mean", TAC__KIND_TIME, TAC__REQUIRED, .doc = "of the law before it is cut at max"},
    {"min", TAC__KIND_TIME, TAC__REQUIRED, .doc = "the least delay, where the law begins"},
    {"max", TAC__KIND_TIME, .doc = "the greatest delay: longer ones become this"},
    {0},
};
const tac__spec tac__format_exponential = {
    "exponential_delay", "An exponential law that begins at min.", exponential_keys};

static const tac__key delay_keys[] = {
    {"uniform", TAC__KIND_LIST, .of = &time_item, .min = 2, .max = 2,
     .doc = "the least and the greatest delay; all between are equally likely"},
    {"normal", TAC__KIND_MAP, .spec = &tac__format_normal, .doc = "around a mean"},
    {"exponential", TAC__KIND_MAP, .spec = &tac__format_exponential, .doc = "with a long tail"},
    {0},
};
static const tac__spec delay_spec = {"delay", "A delay that is drawn for each message: one law.",
                                     delay_keys};
static const tac__key delay_forms[] = {
    {.kind = TAC__KIND_TIME, .doc = "always the same"},
    {.kind = TAC__KIND_MAP, .spec = &delay_spec},
    {0},
};
static const tac__key outage_item = {
    .kind = TAC__KIND_LIST, .of = &time_item, .min = 2, .max = 2, .doc = "from and to"};

static const tac__key link_keys[] = {
    {"from", TAC__KIND_PATTERN, TAC__REQUIRED, .doc = "sending ports: uav*.radio.tx"},
    {"to", TAC__KIND_PATTERN, TAC__REQUIRED, .doc = "receiving ports"},
    {"delay", TAC__KIND_EITHER, .of = delay_forms,
     .doc = "from sending to delivery, at least 1 us: a time, or a law by which it is drawn; "
            "messages from outside have their own"},
    {"loss", TAC__KIND_NUMBER, .unit = "1", .fallback = "0", .min = 0, .max = 1,
     .doc = "probability that a message is lost: 1 %"},
    {"duplicate", TAC__KIND_NUMBER, .unit = "1", .fallback = "0", .min = 0, .max = 1,
     .doc = "probability that a message that is not lost arrives twice"},
    {"down", TAC__KIND_LIST, .of = &outage_item,
     .doc = "times in which all messages that are sent are lost: [[10 s, 12 s]]"},
    {"channel", TAC__KIND_TEXT,
     .doc = "with 'outside' for one end: what the other program knows the link by"},
    {"number", TAC__KIND_INTEGER, .min = 0, .max = 1e6,
     .doc = "from outside: place of the sender among those of the port, from 0"},
    {"steps_first", TAC__KIND_BOOL, .fallback = "false",
     .doc = "from outside: at an instant that both share, the sender steps before the component of "
            "the port"},
    {0},
};
const tac__spec tac__format_link = {"link", "Messages from port to port.", link_keys};
static const tac__key link_item = {.kind = TAC__KIND_MAP, .spec = &tac__format_link};

// The other keys, for the phases of one entity, come from the component type `phases`.
static const tac__key phases_keys[] = {
    {"strategy", TAC__KIND_WORD, .words = strategy_words, .fallback = "skip",
     .doc =
         "components that are inactive are not run, or run behind a gate, or left out of graphs; "
         "the bits are the same"},
    {"entity", TAC__KIND_TEXT, .doc = "whose phases follow here; by default those of no entity"},
    {0},
};
const tac__spec tac__format_phases = {"phases", "Flight phases.", phases_keys};

static const tac__key log_keys[] = {
    {"level", TAC__KIND_WORD, .words = level_words, .fallback = "info",
     .doc = "entries below it are not made"},
    {0},
};
const tac__spec tac__format_log = {"log", "The log of the run.", log_keys};

// --- recording ----------------------------------------------------------------------------------

static const char *const tier_words[] = {
#define WORD(name, text, doc) text,
    TAC_TIER_TABLE(WORD)
#undef WORD
        NULL};
static const char *const compression_words[] = {"none", "lz4", "zstd", NULL};

static const tac__key patterns_forms[] = {
    {.kind = TAC__KIND_PATTERN},
    {.kind = TAC__KIND_LIST, .of = &pattern_item},
    {0},
};

static const tac__key record_rule_keys[] = {
    {"signals", TAC__KIND_EITHER, TAC__REQUIRED, .of = patterns_forms,
     .doc = "a pattern or several: \"uav1.battery.*\""},
    {"rate", TAC__KIND_PERIOD, .doc = "on an axis of their own: 50 Hz"},
    {"every", TAC__KIND_INTEGER, .min = 1, .max = 1e9, .doc = "at every n-th write"},
    {"when", TAC__KIND_TEXT,
     .doc = "at every write, but only around instants at which this becomes true"},
    {"before", TAC__KIND_TIME, .fallback = "0", .doc = "with when: so long before"},
    {"after", TAC__KIND_TIME, .fallback = "0", .doc = "with when: so long after"},
    {"never", TAC__KIND_BOOL, .fallback = "false", .doc = "not at all, unless replay needs them"},
    {0},
};
const tac__spec tac__format_record_rule = {
    "record_rule", "How some signals are recorded; the last match counts.", record_rule_keys};
static const tac__key record_rule_item = {.kind = TAC__KIND_MAP, .spec = &tac__format_record_rule};

static const tac__key record_keys[] = {
    {"file", TAC__KIND_PATH, .doc = "the recording; --out takes its place"},
    {"csv", TAC__KIND_PATH, .doc = "a table that grows as the run goes on"},
    {"tier", TAC__KIND_WORD, .words = tier_words, .fallback = "log",
     .doc = "what replay needs; and all signals on the log axis; or wherever they are written"},
    {"rate", TAC__KIND_PERIOD, .fallback = "100 Hz", .doc = "of the log axis"},
    {"states", TAC__KIND_TIME,
     .doc = "how often a state to replay from is stored; 0: at the start only. By default every 10 "
            "s, but at most 1000 times in the run"},
    {"flush", TAC__KIND_PERIOD,
     .doc = "simulated time after which all is written out; a program that is killed loses at most "
            "twice that. By default 5 s, but at most 2000 times in the run"},
    {"fsync", TAC__KIND_BOOL, .fallback = "false",
     .doc = "each flush is to be on the disk, so that a loss of power costs no more"},
    {"compression", TAC__KIND_WORD, .words = compression_words, .fallback = "zstd",
     .doc = "of chunks"},
    {"level", TAC__KIND_INTEGER, .fallback = "-1", .min = -7, .max = 19,
     .doc = "of zstd; below 0 is faster and packs less"},
    {"rules", TAC__KIND_LIST, .of = &record_rule_item, .doc = "exceptions for some signals"},
    {0},
};
const tac__spec tac__format_record = {"record", "What is recorded, and how.", record_keys};

// Parameters of every component of a type, by the name of the type.
static const tac__key autopilot_item = {.kind = TAC__KIND_TABLE, .of = &map_item};

// The other keys of an event come from the component type `scenario`.
static const tac__key event_keys[] = {
    {"entity", TAC__KIND_PATTERN,
     .doc = "whose scenario it is added to; by default all that have one"},
    {0},
};
const tac__spec tac__format_event = {"event", "Something that happens to vehicles.", event_keys};
static const tac__key event_item = {.kind = TAC__KIND_ANY};

// --- expectations -------------------------------------------------------------------------------

static const char *const end_words[] = {"end", NULL};
static const tac__key at_forms[] = {
    {.kind = TAC__KIND_WORD, .words = end_words, .doc = "where the run ends"},
    {.kind = TAC__KIND_TIME},
    {0},
};

static const tac__key expectation_keys[] = {
    {"always", TAC__KIND_TEXT, .doc = "a condition that holds during the whole run"},
    {"never", TAC__KIND_TEXT, .doc = "a condition that holds at no time of the run"},
    {"eventually", TAC__KIND_TEXT, .doc = "a condition that holds at some time of the run"},
    {"within", TAC__KIND_TIME, .doc = "with eventually: at this time at the latest"},
    {"at", TAC__KIND_EITHER, .of = at_forms, .doc = "when 'holds' holds: 10 s, or end"},
    {"holds", TAC__KIND_TEXT, .doc = "with at: the condition"},
    {"entity", TAC__KIND_PATTERN,
     .doc = "one expectation for each of these entities, in which names are looked up"},
    {0},
};
const tac__spec tac__format_expectation = {
    "expectation", "What a run does if all is well; it changes nothing.", expectation_keys};
static const tac__key expectation_item = {.kind = TAC__KIND_MAP, .spec = &tac__format_expectation};

// --- problems that are solved on a model ---------------------------------------------------------

static const tac__key bounds_keys[] = {
    {"min", TAC__KIND_ANY, .doc = "lowest value, or a list of them; by default none"},
    {"max", TAC__KIND_ANY, .doc = "highest value, or a list of them; by default none"},
    {"guess", TAC__KIND_ANY,
     .doc = "a number or a list to begin with; by default the value at the time 'at'"},
    {0},
};
const tac__spec tac__format_bounds = {"bounds", "A state or input that is looked for.",
                                      bounds_keys};
static const tac__key bounds_item = {.kind = TAC__KIND_MAP, .spec = &tac__format_bounds};

static const tac__key trim_keys[] = {
    {"at", TAC__KIND_TIME, .fallback = "0",
     .doc = "the simulation runs so far first; what is neither free nor set keeps its value"},
    {"component", TAC__KIND_TEXT,
     .doc = "a component of the plant; by default there is only one plant"},
    {"set", TAC__KIND_TABLE, TAC__FREE_KEYS, .of = &map_item,
     .doc = "values of states and inputs, by name: a number or a list"},
    {"free", TAC__KIND_TABLE, TAC__FREE_KEYS, .of = &bounds_item,
     .doc = "inputs that are looked for; states are anyway, and may have bounds and a guess here"},
    {"drift", TAC__KIND_LIST, .of = &pattern_item,
     .doc = "states that may change, and keep their values; all others have a rate of change of 0"},
    {"conditions", TAC__KIND_LIST, .of = &text_item,
     .doc = "further equations, with ==, <= or >=: vehicle.velocity.z == -2 m/s"},
    {"tolerance", TAC__KIND_NUMBER, TAC__POSITIVE, .fallback = "1e-9",
     .doc = "of every equation, times the usual size of its state"},
    {"iterations", TAC__KIND_INTEGER, .fallback = "200", .min = 1, .max = 1e6, .doc = "at most"},
    {0},
};
const tac__spec tac__format_trim = {"trim", "An equilibrium, or a steady motion.", trim_keys};

static const tac__key linearize_keys[] = {
    {"component", TAC__KIND_TEXT,
     .doc = "a component of the plant, where there is no trim; by default there is only one plant"},
    {"inputs", TAC__KIND_LIST, .of = &pattern_item,
     .doc = "by default those that the trim is free to choose, or all"},
    {"outputs", TAC__KIND_LIST, .of = &pattern_item,
     .doc = "outputs of the plant, or states; by default all outputs"},
    {0},
};
const tac__spec tac__format_linearize = {"linearize", "Inputs and outputs of linear equations.",
                                         linearize_keys};

static const tac__key duration_keys[] = {
    {"min", TAC__KIND_NUMBER, .unit = "s", .fallback = "0", .doc = "shortest"},
    {"max", TAC__KIND_NUMBER, TAC__REQUIRED, .unit = "s", .doc = "longest"},
    {"guess", TAC__KIND_NUMBER, TAC__REQUIRED, .unit = "s", .doc = "to begin with"},
    {0},
};
const tac__spec tac__format_free_duration = {"free_duration", "A duration that is looked for.",
                                             duration_keys};
static const tac__key duration_forms[] = {
    {.kind = TAC__KIND_NUMBER, .unit = "s", .doc = "a fixed one"},
    {.kind = TAC__KIND_MAP, .spec = &tac__format_free_duration},
    {0},
};

static const tac__key optimize_phase_keys[] = {
    {"duration", TAC__KIND_EITHER, TAC__REQUIRED, .of = duration_forms,
     .doc = "a time, or its bounds and a guess: {min: 1 s, max: 10 s, guess: 3 s}"},
    {"intervals", TAC__KIND_INTEGER, .fallback = "20", .min = 1, .max = 10000,
     .doc = "of collocation"},
    {"free", TAC__KIND_TABLE, TAC__FREE_KEYS, .of = &bounds_item,
     .doc =
         "inputs that are looked for; and states that have bounds, or a guess for their value at "
         "the end of the phase"},
    {"set", TAC__KIND_TABLE, TAC__FREE_KEYS, .of = &map_item,
     .doc = "inputs that have a fixed value in this phase"},
    {"path", TAC__KIND_LIST, .of = &text_item, .doc = "conditions during the phase"},
    {"start", TAC__KIND_LIST, .of = &text_item, .doc = "conditions where it begins"},
    {"end", TAC__KIND_LIST, .of = &text_item, .doc = "conditions where it ends"},
    {0},
};
const tac__spec tac__format_optimize_phase = {
    "optimize_phase", "A part of a trajectory, with inputs and conditions of its own.",
    optimize_phase_keys};
static const tac__key optimize_phase_item = {.kind = TAC__KIND_MAP,
                                             .spec = &tac__format_optimize_phase};

static const char *const input_words[] = {"linear", "quadratic", NULL};

static const tac__key optimize_keys[] = {
    {"at", TAC__KIND_TIME, .fallback = "0",
     .doc = "the simulation runs so far first; the trajectory begins with its state"},
    {"component", TAC__KIND_TEXT,
     .doc = "a component of the plant; by default there is only one plant"},
    {"minimize", TAC__KIND_TEXT,
     .doc = "an expression at the end of the last phase, where t is the time: t"},
    {"maximize", TAC__KIND_TEXT, .doc = "or the other way round: rocket.altitude"},
    {"integral", TAC__KIND_TEXT,
     .doc = "an expression that is integrated over time and added to the objective"},
    {"set", TAC__KIND_TABLE, TAC__FREE_KEYS, .of = &map_item,
     .doc = "states where the trajectory begins, and inputs, instead of those of the simulation"},
    {"open", TAC__KIND_LIST, .of = &pattern_item, .doc = "states that may begin anywhere"},
    {"phases", TAC__KIND_TABLE, TAC__REQUIRED, .of = &optimize_phase_item,
     .doc = "one after another, in the order of the file"},
    {"inputs", TAC__KIND_WORD, .words = input_words, .fallback = "linear",
     .doc = "how inputs change in an interval"},
    {"smoothing", TAC__KIND_NUMBER, .fallback = "0",
     .doc =
         "the objective is made worse by this times the integral of the squares of all slopes of "
         "inputs, over their usual sizes, by the part of the phase"},
    {"refinements", TAC__KIND_INTEGER, .fallback = "0", .min = 0, .max = 20,
     .doc = "how often, at most, intervals that are not accurate are halved"},
    {"accuracy", TAC__KIND_NUMBER, TAC__POSITIVE, .fallback = "1e-3",
     .doc = "an interval whose error is at most this is accurate"},
    {"tolerance", TAC__KIND_NUMBER, TAC__POSITIVE, .fallback = "1e-8", .doc = "of the solution"},
    {"iterations", TAC__KIND_INTEGER, .fallback = "1000", .min = 1, .max = 1e6, .doc = "at most"},
    {0},
};
const tac__spec tac__format_optimize = {"optimize", "The best trajectory.", optimize_keys};

// --- federations --------------------------------------------------------------------------------

static const char *const transport_words[] = {"unix", "tcp", "shm", NULL};
static const char *const lookahead_words[] = {"link", "global", NULL};

static const tac__key member_forms[] = {
    {.kind = TAC__KIND_LIST, .of = &text_item, .min = 1, .max = 1e5},
    {.kind = TAC__KIND_TABLE, .of = &text_item, .doc = "by the names of members of the message"},
    {0},
};

static const tac__key publish_keys[] = {
    {"signals", TAC__KIND_EITHER, TAC__REQUIRED, .of = member_forms,
     .doc = "full names, in the order of the message; or a map of names of members to these"},
    {"rate", TAC__KIND_PERIOD, TAC__REQUIRED, .doc = "of samples: 50 Hz, or a period"},
    {"offset", TAC__KIND_TIME, .fallback = "0", .doc = "of the first sample"},
    {0},
};
const tac__spec tac__format_publish = {"publish", "Signals that are sent as a message of LCM.",
                                       publish_keys};
static const tac__key publish_item = {.kind = TAC__KIND_MAP, .spec = &tac__format_publish};

static const tac__key subscribe_keys[] = {
    {"inputs", TAC__KIND_EITHER, TAC__REQUIRED, .of = member_forms,
     .doc = "full names of inputs that are 'from: outside', in the order of the message; or a map "
            "of names of members to these"},
    {0},
};
const tac__spec tac__format_subscribe = {
    "subscribe", "Inputs that take the values of a message of LCM.", subscribe_keys};
static const tac__key subscribe_item = {.kind = TAC__KIND_MAP, .spec = &tac__format_subscribe};

static const tac__key process_keys[] = {
    {"entities", TAC__KIND_EITHER, .of = patterns_forms,
     .doc = "the entities of this file that run in it: names or patterns"},
    {"each", TAC__KIND_BOOL, .fallback = "false",
     .doc = "with entities: one process for each of them, of its name"},
    {"config", TAC__KIND_PATH, .doc = "or a configuration of its own, relative to this file"},
    {"command", TAC__KIND_LIST, .of = &text_item, .min = 1, .max = 1e4,
     .doc = "or a program that joins the federation, and its arguments"},
    {"publish", TAC__KIND_TABLE, TAC__FREE_KEYS, .of = &publish_item,
     .doc = "with entities or config: signals that are sent as messages of LCM, by channel"},
    {"subscribe", TAC__KIND_TABLE, TAC__FREE_KEYS, .of = &subscribe_item,
     .doc = "with entities or config: inputs that take messages of LCM, by channel"},
    {0},
};
const tac__spec tac__format_process = {
    "process", "One process of a federation: entities, config or command.", process_keys};
static const tac__key process_item = {.kind = TAC__KIND_MAP, .spec = &tac__format_process};

static const tac__key federation_keys[] = {
    {"transport", TAC__KIND_WORD, .words = transport_words, .fallback = "unix",
     .doc = "Unix sockets or shared memory on one host, TCP anywhere; the bits are the same"},
    {"address", TAC__KIND_TEXT,
     .doc = "where the server listens: host:port of tcp, a path of unix; by default chosen"},
    {"lookahead", TAC__KIND_WORD, .words = lookahead_words, .fallback = "link",
     .doc = "how far a process may advance: by the links that lead to it, or by the least delay of "
            "all; the bits are the same"},
    {"delay", TAC__KIND_TIME, .fallback = "1 ms",
     .doc = "of links for which no rule gives one, at least 1 us"},
    {"timeout", TAC__KIND_TIME, .fallback = "60 s",
     .doc = "wall time after which a process that does not respond ends the federation"},
    {"lcm", TAC__KIND_TEXT, .fallback = TAC_FEDERATION_LCM,
     .doc = "network of LCM on which all messages are published for everyone to see; off: none"},
    {"lcm_rate", TAC__KIND_NUMBER, .unit = "Hz", .fallback = "10000", .min = 1, .max = 1e9,
     .doc = "messages that are published there in a second of wall time, at most"},
    {"processes", TAC__KIND_TABLE, TAC__REQUIRED, .of = &process_item,
     .doc = "by name; their order gives their numbers"},
    {"links", TAC__KIND_LIST, .of = &link_item,
     .doc = "how messages travel from and to processes with a config or command; the last match "
            "counts"},
    {0},
};
const tac__spec tac__format_federation = {"federation", "The same simulation in several processes.",
                                          federation_keys};

static const tac__key root_keys[] = {
    {"name", TAC__KIND_TEXT, .doc = "what to call the simulation"},
    {"description", TAC__KIND_TEXT, .doc = "for people"},
    {"seed", TAC__KIND_INTEGER, .fallback = "1", .min = 0, .max = HUGE_VAL,
     .doc = "of all random streams"},
    {"duration", TAC__KIND_TIME, TAC__REQUIRED, .doc = "simulated time: 10 s"},
    {"plugins", TAC__KIND_LIST, .of = &path_item, .doc = "shared libraries with component types"},
    {"scheduler", TAC__KIND_MAP, .spec = &tac__format_scheduler, .doc = "rates and order"},
    {"timeline", TAC__KIND_MAP, .spec = &tac__format_timeline, .doc = "more axes"},
    {"plant", TAC__KIND_MAP, .spec = &tac__format_plant, .doc = "integration"},
    {"world", TAC__KIND_MAP, .spec = &tac__format_world, .doc = "origin, gravity, ground"},
    {"components", TAC__KIND_TABLE, .of = &component_item, .doc = "components of no entity"},
    {"entities", TAC__KIND_TABLE, .of = &entity_item, .doc = "vehicles and things"},
    {"scenario", TAC__KIND_LIST, .of = &event_item, .doc = "events: see 'tactus help scenario'"},
    {"phases", TAC__KIND_ANY,
     .doc = "strategy; and the flight phases of one entity: see 'tactus help phases'"},
    {"autopilot", TAC__KIND_TABLE, .of = &autopilot_item,
     .doc = "by component type, as px4: parameters of all of that type that do not set them"},
    {"links", TAC__KIND_LIST, .of = &link_item, .doc = "how messages travel"},
    {"expect", TAC__KIND_TABLE, .of = &expectation_item,
     .doc = "what the run is expected to do, by name"},
    {"stop", TAC__KIND_TEXT, .doc = "a condition that ends the run before its duration is over"},
    {"initial", TAC__KIND_TABLE, TAC__FREE_KEYS, .of = &map_item,
     .doc = "values that continuous states begin with, by full name, instead of those of their "
            "components: a number or a list"},
    {"trim", TAC__KIND_MAP, .spec = &tac__format_trim, .doc = "what 'tactus trim' looks for"},
    {"linearize", TAC__KIND_MAP, .spec = &tac__format_linearize,
     .doc = "of what 'tactus linearize' makes linear equations"},
    {"optimize", TAC__KIND_MAP, .spec = &tac__format_optimize,
     .doc = "the best trajectory, which 'tactus optimize' looks for"},
    {"federation", TAC__KIND_MAP, .spec = &tac__format_federation,
     .doc = "which processes 'tactus federate' runs; 'tactus run' takes no notice"},
    {"log", TAC__KIND_MAP, .spec = &tac__format_log, .doc = "what is logged"},
    {"record", TAC__KIND_MAP, .spec = &tac__format_record, .doc = "what is recorded"},
    {0},
};
const tac__spec tac__format = {"tactus", "A simulation of Tactus.", root_keys};
