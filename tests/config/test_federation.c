// Section `federation`: how it is read, what is refused and why, what the parts hold.
#include "engine/test_rig.h"
#include "support/allocator.h"

#include <tactus/expect.h>

static const char base[] =
    "seed: 3\n"
    "duration: 100 ms\n"
    "scheduler:\n"
    "  rate_groups:\n"
    "    - {name: radio, period: 10 ms, components: [\"*.Beacon\", Clock, leader.Route]}\n"
    "    - {name: slow, period: 20 ms, components: [\"follower*.Pilot\"]}\n"
    "  synchronization: {overrides: [{pattern: \"follower*.Radio.y\", policy: ZOH}]}\n"
    "components:\n"
    "  Clock: {type: counter}\n"
    "entities:\n"
    "  leader:\n"
    "    components:\n"
    "      Route:  {type: circle}\n"
    "      Beacon: {type: beacon, params: {size: 3, unit: m}, inputs: {u: Route.position}}\n"
    "  follower:\n"
    "    count: 3\n"
    "    components:\n"
    "      Radio:  {type: listener, params: {size: 3, unit: m}}\n"
    "      Body:   {type: point_mass, params: {gravity: 0}, inputs: {force: Pilot.force}}\n"
    "      Pilot:  {type: tracker, inputs: {target: Radio.y, position: Body.position,\n"
    "               velocity: Body.velocity}}\n"
    "      Beacon: {type: beacon, params: {size: 3, unit: m}, inputs: {u: Body.position}}\n"
    "links:\n"
    "  - {from: leader.Beacon.tx, to: \"follower*.Radio.rx\", delay: 7 ms}\n"
    "  - {from: follower1.Beacon.tx, to: follower2.Radio.rx, delay: 5 ms}\n"
    "expect:\n"
    "  stays: {entity: \"follower*\", always: Body.position.x < 100 m}\n"
    "  goes:  {always: leader.Route.position.x < 100 m}\n"
    "  ticks: {always: Clock.n >= 0}\n"
    "record:\n"
    "  file: out/flight.mcap\n"
    "  csv: table\n"
    "  rules:\n"
    "    - {signals: [\"leader.*\", \"follower2.Body.*\"], rate: 50 Hz}\n"
    "    - {signals: \"follower3.*\", never: true}\n";

static const char three[] = "federation:\n"
                            "  processes:\n"
                            "    lead: {entities: leader}\n"
                            "    wing: {entities: [\"follower?\"]}\n";

static void open_with(rig *r, const char *more)
{
    static char text[1 << 14];
    snprintf(text, sizeof text, "%s%s", base, more);
    rig_open(r, text);
}

static tac_config *part_of(rig *r, const char *name)
{
    tac_config *part = NULL;
    const int process = tac_config_find_process(r->config, name, &r->err);
    if (process < 0 || tac_config_part(r->config, (size_t)process, &part, &r->err) != TAC_OK) {
        rig_show(r);
        fail_msg("there is no part of '%s'", name);
    }
    return part;
}

// --- reading ------------------------------------------------------------------------------------

static void test_settings(void **state)
{
    (void)state;
    rig r;
    tac_federation_info info;
    open_with(&r, three);
    assert_true(tac_config_federates(r.config));
    assert_string_equal(tac_config_process_info(r.config, 0).name, "");
    assert_int_equal(tac_config_federation(r.config, &info, &r.err), TAC_OK);
    assert_string_equal(info.transport, "unix");
    assert_string_equal(info.lookahead, "link");
    assert_null(info.address);
    assert_true(info.delay_us == 1000 && info.timeout_us == 60000000);
    assert_int_equal(info.process_count, 2);
    const tac_process_info lead = tac_config_process_info(r.config, 0),
                           wing = tac_config_process_info(r.config, 1);
    assert_string_equal(lead.name, "lead");
    assert_int_equal(lead.entity_count, 1);
    assert_int_equal(wing.entity_count, 3);
    assert_string_equal(wing.entities[2], "follower3");
    assert_int_equal(wing.place.line, lead.place.line + 1);
    assert_true(!wing.config && !wing.command);
    assert_string_equal(tac_config_process_info(r.config, 2).name, "");
    assert_int_equal(tac_config_find_process(r.config, "wing", &r.err), 1);
    assert_int_equal(tac_config_find_process(r.config, "wnig", &r.err), -1);
    assert_non_null(strstr(r.err.text, "did you mean 'wing'"));
    rig_close(&r);

    open_with(&r, "federation:\n"
                  "  transport: tcp\n"
                  "  address: \"127.0.0.1:0\"\n"
                  "  lookahead: global\n"
                  "  delay: 2 ms\n"
                  "  timeout: 5 s\n"
                  "  processes:\n"
                  "    all: {entities: [\"follower*\", leader], each: true}\n"
                  "    radar: {config: sub/radar.yaml}\n"
                  "    view: {command: [python3, -u, view.py]}\n");
    assert_int_equal(tac_config_federation(r.config, &info, &r.err), TAC_OK);
    assert_string_equal(info.transport, "tcp");
    assert_string_equal(info.address, "127.0.0.1:0");
    assert_string_equal(info.lookahead, "global");
    assert_true(info.delay_us == 2000 && info.timeout_us == 5000000);
    static const char *const names[] = {"leader",    "follower1", "follower2",
                                        "follower3", "radar",     "view"};
    assert_int_equal(info.process_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(tac_config_process_info(r.config, i).name, names[i]);
    assert_string_equal(tac_config_process_info(r.config, 4).config, "sub/radar.yaml");
    const tac_process_info view = tac_config_process_info(r.config, 5);
    assert_int_equal(view.command_count, 3);
    assert_string_equal(view.command[2], "view.py");
    assert_string_equal(view.folder, ".");
    rig_close(&r);
    rig_open(&r, base);
    assert_false(tac_config_federates(r.config));
    assert_int_equal(tac_config_federation(r.config, &info, &r.err), TAC_E_CONFIG);
    assert_non_null(strstr(r.err.text, "no section 'federation'"));
    rig_close(&r);
}

// --- refused ------------------------------------------------------------------------------------

// Refused with a text that holds `part`, at the line of the text that holds `where`.
static void refused(const char *text, const char *where, const char *part)
{
    rig r;
    rig_open(&r, text); // one engine takes no notice of the section
    tac_config *result = NULL;
    tac_federation_info info;
    tac_status status = tac_config_federation(r.config, &info, &r.err);
    size_t count;
    if (status == TAC_OK)
        status = tac_config_crossing_count(r.config, &count, &r.err);
    unsigned line = 1;
    for (const char *c = text; c < strstr(text, where); c++)
        line += *c == '\n';
    if (status == TAC_OK || !strstr(r.err.text, part) || r.err.line != line) {
        rig_show(&r);
        fail_msg("expected '%s' at line %u, got %s at %u", part, line, tac_status_name(status),
                 r.err.line);
    }
    assert_int_not_equal(tac_config_part(r.config, 0, &result, &r.err), TAC_OK);
    assert_null(result);
    rig_close(&r);
}

static void refused_section(const char *section, const char *where, const char *part)
{
    static char text[1 << 14];
    snprintf(text, sizeof text, "%sfederation:\n  processes:\n%s", base, section);
    refused(text, where, part);
}

static void test_processes_refused(void **state)
{
    (void)state;
    refused_section("    lead: {entities: leader}\n",
                    "  follower:", "entity 'follower1' is in no process");
    refused_section("    lead: {entities: leader}\n    all: {entities: \"*\"}\n",
                    "    all:", "entity 'leader' is in process 'lead' already");
    refused_section("    lead: {entities: leadr}\n", "leadr", "did you mean 'leader'");
    refused_section("    lead: {entities: leader, config: a.yaml}\n",
                    "    lead:", "one of entities, config and command");
    refused_section("    lead: {}\n", "    lead:", "needs one of entities, config and command");
    refused_section("    lead: {config: a.yaml, each: true}\n",
                    "    lead:", "'each' needs 'entities'");
    refused_section("    lead: {command: [a]}\n", "  leader:", "is in no process");
    refused_section("    leader: {command: [a]}\n    all: {entities: \"*\", each: true}\n",
                    "    all:", "two processes 'leader'");
    refused_section("    all: {entities: \"*\"}\n  delay: 0 s\n", "  delay: 0", "at least 1 us");
    refused_section("    all: {entities: \"*\"}\n  timeout: 0 s\n", "  timeout: 0", "timeout of 0");
    refused_section("    all: {entities: \"*\"}\n  links:\n    - {from: a, to: b, delay: 1 ms}\n",
                    "    - {from: a, to: b", "config or a command");
    refused_section("    all: {entities: \"*\"}\n  links:\n    - {from: a, to: b, number: 1}\n",
                    "    - {from: a, to: b", "'number'");
    refused("duration: 1 s\n"
            "scheduler: {rate_groups: [{name: a, period: 1 s, components: [Clock]}]}\n"
            "components: {Clock: {type: counter}}\n"
            "federation: {processes: {x: {command: [a]}}}\n",
            "components: {Clock", "no such process");
}

// The base with changes: pairs of a text that stands there and what takes its place.
static const char *changed(const char *section, ...)
{
    static char text[1 << 14], copy[1 << 14];
    snprintf(text, sizeof text, "%s%s", base, section);
    va_list args;
    va_start(args, section);
    const char *find;
    while ((find = va_arg(args, const char *))) {
        const char *with = va_arg(args, const char *), *at = strstr(text, find);
        assert_non_null(at);
        snprintf(copy, sizeof copy, "%.*s%s%s", (int)(at - text), text, with, at + strlen(find));
        memcpy(text, copy, sizeof text);
    }
    va_end(args);
    return text;
}

static void test_crossings_refused(void **state)
{
    (void)state;
    refused(changed(three, "target: Radio.y", "target: leader.Route.position", NULL),
            "target: leader",
            "'follower1.Pilot' of process 'wing' reads 'leader.Route.position' of process 'lead'");
    refused(changed(three, "  Clock: {type: counter}",
                    "  Clock: {type: counter}\n"
                    "  Show: {type: monitor, params: {size: 3, unit: m},\n"
                    "         inputs: {u: leader.Route.position}}",
                    "Clock, leader", "Clock, Show, leader", NULL),
            "inputs: {u: leader.", "'Show' belongs to no entity and so runs in every process");
    refused(changed(three, "  Clock: {type: counter}",
                    "  Clock: {type: counter}\n  Air: {type: point_mass}", NULL),
            "  Air:", "'Air' belongs to no entity and is integrated");
    refused(changed(three, "  Clock: {type: counter}",
                    "  Clock: {type: counter}\n  Wave: {type: sine}\n"
                    "  Late: {type: gain, inputs: {u: {from: Wave.y, policy: SYNCHRONIZED}}}\n"
                    "  Hum: {type: beacon, inputs: {u: Late.y}}",
                    "[\"follower*.Pilot\"]", "[\"follower*.Pilot\", Late, Hum]", "Clock, leader",
                    "Clock, Wave, leader", NULL),
            "  Late:", "'Late' belongs to no entity, so no signal that it reads");
    refused(changed(three, "always: leader.Route.position.x < 100 m",
                    "always: leader.Route.position.x < follower2.Body.position.x + 1 km", NULL),
            "  goes:",
            "expectation 'goes' sees 'leader.Route.position' of process 'lead' and "
            "'follower2.Body.position' of process 'wing'");
    refused(changed(three, "always: Body.position.x < 100 m",
                    "always: Body.position.x < leader.Route.position.x + 1 km", NULL),
            "  stays:", "expectation 'follower1.stays' sees 'follower1' of process 'wing'");
    refused(changed(three, "record:\n", "stop: Clock.n > 5\nrecord:\n", NULL),
            "stop:", "'stop' would end one process");
    refused(changed(three, "  Clock: {type: counter}",
                    "  Clock: {type: counter}\n"
                    "  Ear: {type: listener, params: {size: 3, unit: m}}",
                    "to: follower2.Radio.rx", "to: Ear.rx", NULL),
            "to: Ear.rx", "'Ear.rx' belongs to no entity and so runs in every process");
    // The groups `radio` and `slow` step together because of the leader.
    refused(changed(three, "Route:  {type: circle}",
                    "Route:  {type: circle}\n"
                    "      Fast: {type: noise}\n"
                    "      Late: {type: gain, inputs: {u: {from: Fast.y, policy: SYNCHRONIZED}}}\n"
                    "      Hum: {type: beacon, inputs: {u: Late.y}}",
                    "[\"follower*.Pilot\"]", "[\"follower*.Pilot\", leader.Late, leader.Hum]",
                    "leader.Route]", "leader.Route, leader.Fast]", NULL),
            "  Clock: {type: counter}", "steps together");
    // An event of one vehicle that looks at another.
    refused(
        changed(three, "Route:  {type: circle}",
                "Route:  {type: circle}\n"
                "      Plan: {type: scenario, params: {events: [{when: \"follower1.Radio.count > "
                "2\", do: log, text: hello}]}}",
                "leader.Route]", "leader.Route, leader.Plan]", NULL),
        "      Plan:", "'leader.Plan' of process 'lead' reads 'follower1.Radio.count'");
}

// --- parts --------------------------------------------------------------------------------------

static void build(rig *r, tac_config *part, tac_engine **engine, tac_verdict **verdict)
{
    const tac_engine_def def = tac_config_engine_def(part);
    tac_recorder_def recording;
    tac_recorder *recorder = NULL;
    if (tac_config_build_unprepared(part, &def, engine, &r->err) != TAC_OK ||
        tac_config_recorder_def(part, &recording, &r->err) != TAC_OK ||
        (recording.path = recording.csv = NULL, false) ||
        tac_config_verdict(part, *engine, verdict, &r->err) != TAC_OK ||
        tac_recorder_create(&recording, *engine, &recorder, &r->err) != TAC_OK ||
        tac_engine_prepare(*engine, &r->err) != TAC_OK) {
        rig_show(r);
        fail_msg("the part cannot be built");
    }
    tac_recorder_destroy(recorder);
}

static void test_contents(void **state)
{
    (void)state;
    static const char four[] = "federation:\n"
                               "  processes:\n"
                               "    lead: {entities: leader}\n"
                               "    wing: {entities: [\"follower*\"], each: true}\n";
    static const struct {
        const char *name, *file;
        size_t components, links, expectations;
    } parts[] = {{"lead", "out/flight.lead.mcap", 3, 1, 2}, // and the clock's, which all have
                 {"follower1", "out/flight.follower1.mcap", 5, 2, 1},
                 {"follower2", "out/flight.follower2.mcap", 5, 2, 1},
                 {"follower3", "out/flight.follower3.mcap", 5, 1, 1}};
    rig r;
    open_with(&r, four);
    for (size_t i = 0; i < 4; i++) {
        tac_config *part = part_of(&r, parts[i].name);
        char name[64];
        snprintf(name, sizeof name, "test.%s", parts[i].name);
        assert_string_equal(tac_config_name(part), name);
        tac_recorder_def recording;
        assert_int_equal(tac_config_recorder_def(part, &recording, &r.err), TAC_OK);
        assert_string_equal(recording.path, parts[i].file);
        assert_non_null(strstr(recording.csv, parts[i].name));
        tac_engine *engine;
        tac_verdict *verdict;
        build(&r, part, &engine, &verdict);
        assert_int_equal(tac_engine_sizes(engine).components, parts[i].components);
        assert_int_equal(tac_engine_link_count(engine), parts[i].links);
        assert_int_equal(tac_verdict_count(verdict), parts[i].expectations);
        // The part is a configuration like any other: its text gives the same model.
        char *text = tac_config_resolved(part);
        rig again;
        rig_open(&again, text);
        assert_true(tac_engine_model_hash(again.engine) == tac_engine_model_hash(engine));
        assert_false(tac_config_federates(again.config));
        tac_text_free(text);
        rig_close(&again);
        tac_verdict_destroy(verdict);
        tac_engine_destroy(engine);
        tac_config_destroy(part);
    }
    // The number of the sender, the name of its port for a channel, the shortest delay.
    tac_config *part = part_of(&r, "follower2");
    tac_engine *engine;
    tac_verdict *verdict;
    build(&r, part, &engine, &verdict);
    const tac_link_info first = tac_engine_link_info(engine, 0),
                        second = tac_engine_link_info(engine, 1);
    assert_string_equal(first.channel, "leader.Beacon.tx");
    assert_string_equal(second.channel, "follower1.Beacon.tx");
    assert_true(first.number == 0 && second.number == 1);
    tac_verdict_destroy(verdict);
    tac_engine_destroy(engine);
    // It outlives the configuration that it was made from.
    char *text = tac_config_resolved(part);
    tac_engine_destroy(r.engine);
    tac_config_destroy(r.config);
    r.engine = NULL;
    r.config = NULL;
    char *same = tac_config_resolved(part);
    assert_string_equal(text, same);
    tac_text_free(text);
    tac_text_free(same);
    tac_config_destroy(part);
    rig_close(&r);
}

// An explicit order names the components of all processes; each takes its own.
static void test_order(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, changed(three, "  synchronization:",
                         "  order: [Clock, leader.Route, follower3.Radio, follower2.Radio, "
                         "follower1.Radio, follower1.Pilot, follower2.Pilot, follower3.Pilot, "
                         "leader.Beacon, follower3.Beacon, follower2.Beacon, follower1.Beacon]\n"
                         "  synchronization:",
                         NULL));
    static const char *const names[] = {"lead", "wing"};
    for (size_t i = 0; i < 2; i++) {
        tac_config *part = part_of(&r, names[i]);
        tac_engine *engine;
        tac_verdict *verdict;
        build(&r, part, &engine, &verdict);
        char *text = tac_config_resolved(part);
        assert_int_equal(strstr(text, "leader.Route") == NULL, i == 1);
        tac_text_free(text);
        tac_verdict_destroy(verdict);
        tac_engine_destroy(engine);
        tac_config_destroy(part);
    }
    rig_close(&r);
}

static void test_crossings(void **state)
{
    (void)state;
    rig r;
    size_t count;
    open_with(&r, three);
    assert_int_equal(tac_config_crossing_count(r.config, &count, &r.err), TAC_OK);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        const tac_crossing_info x = tac_config_crossing_info(r.config, i);
        assert_string_equal(x.from, "leader.Beacon.tx");
        assert_true(x.from_process == 0 && x.to_process == 1 && x.number == 0);
        assert_true(x.law->min_us == 7000);
        assert_ptr_equal(tac_config_crossing_law(r.config, 0, x.from, 1, x.to), x.law);
    }
    assert_string_equal(tac_config_crossing_info(r.config, count).from, "");
    assert_true(tac_config_crossing_law(r.config, 0, "NEWS", 1, "wing")->min_us == 1000);
    assert_null(tac_config_crossing_law(r.config, 0, "NEWS", 2, "wing"));
    rig_close(&r);
}

// --- processes with a configuration of their own, and programs ----------------------------------

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(path_of(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static const char radar[] =
    "duration: 3 s\n"
    "scheduler: {rate_groups: [{name: a, period: 10 ms, components: [Beam, Dish]}]}\n"
    "entities:\n"
    "  site:\n"
    "    components:\n"
    "      Beam: {type: circle}\n"
    "      Dish: {type: beacon, params: {size: 3, unit: m}, inputs: {u: Beam.position}}\n"
    "      Ear:  {type: listener, params: {size: 3, unit: m}}\n"
    "      Echo: {type: listener, params: {size: 3, unit: m}}\n"
    "links:\n"
    "  - {from: outside, channel: follower3.Beacon.tx, to: site.Echo.rx}\n";

static void open_file(rig *r, const char *section)
{
    write_file("radar.yaml", radar);
    write_file("whole.yaml", changed(section, NULL));
    if (rig_try_all(r, path_of("whole.yaml"), NULL, NULL, 0) != TAC_OK) {
        rig_show(r);
        fail_msg("cannot be built");
    }
}

static const char with_radar[] =
    "federation:\n"
    "  delay: 3 ms\n"
    "  processes:\n"
    "    radar: {config: radar.yaml}\n"
    "    lead: {entities: leader}\n"
    "    wing: {entities: \"follower*\"}\n"
    "    view: {command: [./view, --fast]}\n"
    "  links:\n"
    "    - {from: \"*.tx\", to: \"radar:*.Ear.rx\", delay: 9 ms}\n"
    "    - {from: leader.Beacon.tx, to: site.Ear.rx, delay: 2 ms}\n"
    "    - {from: site.Dish.tx, to: follower2.Radio.rx, delay: 4 ms}\n"
    "    - {from: \"view:ORDER\", to: follower2.Radio.rx, delay: 6 ms}\n"
    "    - {from: \"follower1.*\", to: view, delay: 5 ms}\n";

static const tac_crossing_info *find_crossing(rig *r, const char *from, const char *to)
{
    static tac_crossing_info found;
    size_t count, n = 0;
    assert_int_equal(tac_config_crossing_count(r->config, &count, &r->err), TAC_OK);
    for (size_t i = 0; i < count; i++) {
        const tac_crossing_info x = tac_config_crossing_info(r->config, i);
        if (strcmp(x.from, from) || strcmp(x.to, to))
            continue;
        found = x;
        n++;
    }
    if (n != 1)
        fail_msg("%s to %s is there %zu times", from, to, n);
    return &found;
}

static void test_own_configurations(void **state)
{
    (void)state;
    rig r;
    open_file(&r, with_radar);
    size_t count;
    if (tac_config_crossing_count(r.config, &count, &r.err) != TAC_OK) {
        rig_show(&r);
        fail();
    }
    assert_int_equal(count, 3 + 4 + 1 + 1 + 1 + 1);
    const tac_crossing_info *x = find_crossing(&r, "leader.Beacon.tx", "site.Ear.rx");
    assert_true(x->law->min_us == 2000 && x->from_process == 1 && x->to_process == 0);
    assert_true(find_crossing(&r, "follower1.Beacon.tx", "site.Ear.rx")->law->min_us == 9000);
    // Asked for by a link from outside, without a rule.
    assert_true(find_crossing(&r, "follower3.Beacon.tx", "site.Echo.rx")->law->min_us == 3000);
    x = find_crossing(&r, "site.Dish.tx", "follower2.Radio.rx"); // after both of the whole
    assert_true(x->law->min_us == 4000 && x->number == 2);
    x = find_crossing(&r, "ORDER", "follower2.Radio.rx");
    assert_true(x->law->min_us == 6000 && x->number == 3 && x->from_process == 3);
    x = find_crossing(&r, "follower1.Beacon.tx", "view");
    assert_true(x->law->min_us == 5000 && x->to_process == 3);
    // Laws of what programs publish and subscribe to besides.
    assert_true(tac_config_crossing_law(r.config, 2, "follower1.STATE", 3, "view")->min_us == 5000);
    assert_true(tac_config_crossing_law(r.config, 2, "follower2.STATE", 3, "view")->min_us == 3000);
    // A port that hears ORDER of one process does not hear that of another one.
    assert_non_null(tac_config_crossing_law(r.config, 3, "ORDER", 2, "follower2.Radio.rx"));
    assert_null(tac_config_crossing_law(r.config, 0, "ORDER", 2, "follower2.Radio.rx"));

    tac_config *part = part_of(&r, "radar");
    assert_true(tac_config_engine_def(part).end_us == 100000); // that of the whole
    tac_engine *engine;
    tac_verdict *verdict;
    build(&r, part, &engine, &verdict);
    assert_int_equal(tac_engine_link_count(engine), 1 + 1 + 4);
    tac_engine_destroy(engine);
    tac_config_destroy(part);
    part = part_of(&r, "wing");
    build(&r, part, &engine, &verdict);
    // Inside 1; from leader 3; from Dish and ORDER; to outside from each follower.
    assert_int_equal(tac_engine_link_count(engine), 1 + 3 + 2 + 3);
    tac_verdict_destroy(verdict);
    tac_engine_destroy(engine);
    tac_config_destroy(part);
    assert_int_equal(tac_config_part(r.config, 3, &part, &r.err), TAC_E_CONFIG);
    assert_non_null(strstr(r.err.text, "'view' is a program"));
    const tac_process_info view = tac_config_process_info(r.config, 3);
    assert_true(*view.folder == '/' && !strstr(view.folder, "whole"));
    rig_close(&r);

    open_file(&r, "federation:\n"
                  "  processes:\n"
                  "    a: {config: radar.yaml}\n"
                  "    b: {config: radar.yaml}\n"
                  "    c: {entities: \"*\"}\n"
                  "  links:\n"
                  "    - {from: site.Dish.tx, to: follower1.Radio.rx}\n");
    assert_int_equal(tac_config_crossing_count(r.config, &count, &r.err), TAC_E_DUPLICATE);
    assert_non_null(strstr(r.err.text, "processes 'a' and 'b' both have a sender 'site.Dish.tx'"));
    rig_close(&r);
    open_file(&r, "federation:\n"
                  "  processes:\n"
                  "    a: {config: radra.yaml}\n"
                  "    c: {entities: \"*\"}\n");
    assert_int_equal(tac_config_part(r.config, 1, &part, &r.err), TAC_E_FILE);
    assert_non_null(strstr(r.err.text, "radra.yaml"));
    rig_close(&r);
    open_file(&r, "federation:\n"
                  "  processes: {c: {entities: \"*\"}, v: {command: [a]}}\n"
                  "  links: [{from: v, to: follower1.Radio.rx}]\n");
    assert_int_equal(tac_config_part(r.config, 0, &part, &r.err), TAC_E_CONFIG);
    assert_non_null(strstr(r.err.text, "expected the channel, as in 'v:STATE'"));
    rig_close(&r);
}

// --- lack of memory -----------------------------------------------------------------------------

static tac_status make_part(const tac_allocator *allocator, const char *path, size_t process,
                            tac_error *err)
{
    tac_registry *registry = NULL;
    tac_config *config = NULL, *part = NULL;
    tac_status status = tac_registry_create(NULL, &registry, err);
    tac_config_def def = tac_config_def_default();
    def.allocator = allocator;
    def.registry = registry;
    if (status == TAC_OK)
        status = tac_config_load(path, &def, &config, err);
    if (status == TAC_OK)
        status = tac_config_part(config, process, &part, err);
    tac_config_destroy(part);
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    write_file("radar.yaml", radar);
    write_file("whole.yaml", changed(with_radar, NULL));
    for (size_t process = 0; process < 3; process += 2) {
        for (uint64_t n = 1;; n++) {
            test_allocator a = test_allocator_make();
            a.fail_at = n;
            const tac_allocator hook = test_allocator_hook(&a);
            tac_error err;
            const tac_status status = make_part(&hook, path_of("whole.yaml"), process, &err);
            test_allocator_check_empty(&a);
            if (status == TAC_OK)
                break;
            assert_int_equal(status, TAC_E_MEMORY);
            assert_true(n < 5000);
        }
    }
}

TEST_MAIN(cmocka_unit_test(test_settings), cmocka_unit_test(test_processes_refused),
          cmocka_unit_test(test_crossings_refused), cmocka_unit_test(test_contents),
          cmocka_unit_test(test_crossings), cmocka_unit_test(test_own_configurations),
          cmocka_unit_test(test_order), cmocka_unit_test(test_memory))
