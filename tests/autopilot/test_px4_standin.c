// The stand-in for libpx4_lockstep keeps to what is known of the real one: handshake, topics,
// publishers, parameters, missions, rates; and misbehaves as ordered.
#include "autopilot/px4_library.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char whole[] = "px4_standin";

// --- handshake and handles ----------------------------------------------------------------------

static void test_handshake(void **state)
{
    (void)state;
    px4 p = px4_open(whole);
#define PRESENT(result, name, arguments) assert_non_null(p.name);
    PX4_FUNCTIONS(PRESENT)
    assert_non_null(p.autosave);
    uint32_t in = 9, out = 9, cfg = 9;
    p.sizes(&in, &out, &cfg);
    assert_int_equal(p.abi_version(), 3);
    assert_true(in == 0 && out == 0 && cfg == sizeof px4_defaults);

    px4 partial = px4_open("px4_standin_incomplete");
    assert_true(!partial.orb_check && !partial.orb_unsubscribe && partial.orb_copy);
    assert_non_null(partial.autosave);
    px4 silent = px4_open("px4_standin_no_autosave");
    assert_true(!silent.autosave && silent.orb_check);
}

static void test_one_handle(void **state)
{
    (void)state;
    int32_t commander[9];
    memcpy(commander, px4_defaults, sizeof commander);
    commander[1] = 1;
    px4 p = px4_open(whole), other = px4_open(whole);
    assert_null(p.create(commander));
    p.h = p.create(px4_defaults);
    assert_non_null(p.h);
    assert_null(p.create(px4_defaults));
    other.h = other.create(px4_defaults); // a copy has one of its own
    assert_true(other.h && other.h != p.h);
    assert_int_equal(p.step_uorb(NULL, 0), -1);
    assert_int_equal(p.step_uorb(other.h, 0), -1);
    assert_int_equal(p.step_uorb(p.h, 4000), 0);
    assert_int_equal(p.step_uorb(p.h, 0), 0); // a step back is no error
    p.destroy(p.h);
    assert_int_equal(p.step_uorb(p.h, 4000), -1);
    assert_null(p.create(px4_defaults));
    px4_close(&other);
}

// --- topics -------------------------------------------------------------------------------------

static uint32_t fnv1a(const char *text)
{
    uint32_t h = 0x811c9dc5;
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * 0x01000193;
    return h;
}

typedef struct metadata {
    const char *fields;
    uint32_t size, bare, hash;
    uint8_t queue;
} metadata;

static int ask(px4 *p, const char *topic, metadata *m)
{
    *m = (metadata){.fields = "?"};
    return p->orb_topic_metadata(p->h, topic, &m->fields, &m->size, &m->bare, &m->hash, &m->queue);
}

static void test_metadata(void **state)
{
    (void)state;
    px4 p = px4_start(whole, px4_defaults);
    metadata m;
    for (const px4_message *known = px4_messages; known < px4_messages + PX4_MESSAGES; known++) {
        assert_int_equal(ask(&p, known->topic, &m), -3);
        assert_null(m.fields);
        const uint32_t end = px4_offset(known, NULL, NULL);
        assert_int_equal(known->size, (end + 7) / 8 * 8);
        assert_int_equal(m.size, known->size);
        assert_int_equal(m.bare, end);
        assert_int_equal(m.hash, known->hash);
        assert_int_equal(m.queue, strncmp(known->topic, "vehicle_command", 15) ? 1 : 8);
    }
    assert_int_equal(ask(&p, "geofence_status", &m), -3);
    assert_int_equal(m.hash, fnv1a("uint64 timestamp\nuint32 geofence_id\nuint8 status\n"));
    ask(&p, "vehicle_torque_setpoint", &m);
    assert_int_equal(m.hash, fnv1a("uint64 timestamp\nuint64 timestamp_sample\nfloat32[3] xyz\n"));
    assert_int_equal(ask(&p, "vehicle_altitude", &m), -2);
    assert_int_equal(ask(&p, NULL, &m), -1);
    px4_close(&p);
}

typedef struct channel {
    int32_t id, instance;
    uint32_t size;
} channel;

static int publisher(px4 *p, const char *topic, int32_t requested, channel *c)
{
    *c = (channel){-9, -9, 9};
    return p->orb_create_publisher_ex(p->h, topic, 0, 0, requested, &c->id, &c->instance, &c->size);
}

static int subscriber(px4 *p, const char *topic, uint32_t instance, channel *c)
{
    return p->orb_create_subscriber(p->h, topic, instance, &c->id, &c->size);
}

static void queue(px4 *p, const channel *c, const char *topic, double voltage)
{
    uint8_t bytes[PX4_BYTES] = {0};
    px4_put(bytes, topic, "voltage_v", 0, voltage);
    assert_int_equal(p->orb_queue_publish(p->h, c->id, bytes, c->size), 0);
}

// The voltage if there is a new one, else 0.
static double voltage(px4 *p, const channel *c)
{
    uint8_t bytes[PX4_BYTES];
    int32_t updated = -1;
    assert_int_equal(p->orb_check(p->h, c->id, &updated), 0);
    if (!updated)
        return 0;
    assert_int_equal(p->orb_copy(p->h, c->id, bytes, c->size), 0);
    return px4_get(bytes, "battery_status", "voltage_v", 0);
}

static void test_publishing(void **state)
{
    (void)state;
    px4 p = px4_start(whole, px4_defaults);
    channel out, in, late;
    assert_int_equal(
        p.orb_create_publisher(p.h, "battery_status", 0, 0, &out.id, &out.instance, &out.size), 0);
    assert_int_equal(subscriber(&p, "battery_status", 0, &in), 0);
    assert_true(out.size == 168 && in.size == 168 && out.instance == -1);
    queue(&p, &out, "battery_status", 11);
    queue(&p, &out, "battery_status", 12); // the last one wins
    int32_t instance = 9;
    assert_int_equal(p.orb_publisher_instance(p.h, out.id, &instance), 0);
    assert_int_equal(instance, -1); // not before a step
    assert_true(voltage(&p, &in) == 0);
    assert_int_equal(p.step_uorb(p.h, 0), 0);
    assert_int_equal(p.orb_publisher_instance(p.h, out.id, &instance), 0);
    assert_int_equal(instance, 0);
    assert_true(voltage(&p, &in) == 12);
    assert_true(voltage(&p, &in) == 0);
    assert_int_equal(p.step_uorb(p.h, 4000), 0); // nothing queued
    assert_true(voltage(&p, &in) == 0);
    assert_int_equal(subscriber(&p, "battery_status", 0, &late), 0);
    assert_true(voltage(&p, &late) == 12);
    px4_close(&p);
}

static void test_instances(void **state)
{
    (void)state;
    px4 p = px4_start(whole, px4_defaults);
    channel out[2], in[2];
    for (int32_t i = 0; i < 2; i++) {
        assert_int_equal(publisher(&p, "battery_status", i, &out[i]), 0);
        assert_int_equal(subscriber(&p, "battery_status", (uint32_t)i, &in[i]), 0);
    }
    queue(&p, &out[1], "battery_status", 14); // published in the order of creation all the same
    queue(&p, &out[0], "battery_status", 13);
    assert_int_equal(p.step_uorb(p.h, 0), 0);
    assert_true(voltage(&p, &in[0]) == 13 && voltage(&p, &in[1]) == 14);
    queue(&p, &out[1], "battery_status", 15);
    assert_int_equal(p.step_uorb(p.h, 4000), 0);
    assert_true(voltage(&p, &in[0]) == 0 && voltage(&p, &in[1]) == 15);
    px4_close(&p);

    // The second alone gets the first instance, which is not what it asked for.
    p = px4_start(whole, px4_defaults);
    assert_int_equal(publisher(&p, "battery_status", 1, &out[1]), 0);
    queue(&p, &out[1], "battery_status", 14);
    assert_int_equal(p.step_uorb(p.h, 0), -4);
    px4_close(&p);

    p = px4_start(whole, px4_defaults);
    const uint8_t nothing[16] = {0};
    assert_int_equal(publisher(&p, "geofence_status", 0, &out[0]), 0);
    assert_int_equal(p.orb_queue_publish(p.h, out[0].id, nothing, 16), 0);
    assert_int_equal(p.step_uorb(p.h, 0), -4);
    px4_close(&p);
}

static void test_topic_errors(void **state)
{
    (void)state;
    px4 p = px4_start(whole, px4_defaults);
    channel c, in;
    int32_t flag;
    uint8_t bytes[PX4_BYTES] = {0};
    assert_int_equal(publisher(&p, "vehicle_altitude", 0, &c), -2);
    assert_int_equal(publisher(&p, "vehicle_status", 10, &c), -1);
    assert_int_equal(
        p.orb_create_publisher(p.h, "vehicle_status", 1, 0, &c.id, &c.instance, &c.size), -5);
    assert_int_equal(
        p.orb_create_publisher(p.h, "vehicle_status", 0, 1, &c.id, &c.instance, &c.size), -6);
    assert_int_equal(
        p.orb_create_publisher(p.h, "vehicle_status", 0, 0, NULL, &c.instance, &c.size), -1);
    assert_int_equal(publisher(&p, "vehicle_status", -1, &c), 0);
    assert_int_equal(p.orb_queue_publish(p.h, c.id, bytes, c.size - 1), -4);
    assert_int_equal(p.orb_queue_publish(p.h, c.id + 1, bytes, c.size), -2);
    assert_int_equal(p.orb_queue_publish(p.h, -1, bytes, c.size), -2);
    assert_int_equal(p.orb_queue_publish(p.h, c.id, NULL, c.size), -1);
    assert_int_equal(p.orb_publisher_instance(p.h, c.id + 1, &flag), -2);
    assert_int_equal(subscriber(&p, "vehicle_altitude", 0, &in), -2);
    assert_int_equal(subscriber(&p, "vehicle_status", 10, &in), -1);
    assert_int_equal(subscriber(&p, "vehicle_status", 0, &in), 0);
    assert_int_equal(p.orb_check(p.h, in.id + 1, &flag), -2);
    assert_int_equal(p.orb_check(NULL, in.id, &flag), -1);
    assert_int_equal(p.orb_copy(p.h, in.id, bytes, in.size + 1), -4);
    assert_int_equal(p.orb_copy(p.h, -1, bytes, in.size), -2);
    assert_true(p.orb_copy(p.h, in.id, bytes, in.size) < 0); // nothing there yet
    assert_int_equal(p.orb_unsubscribe(p.h, in.id), 0);
    assert_int_equal(p.orb_check(p.h, in.id, &flag), -3);
    assert_int_equal(p.orb_copy(p.h, in.id, bytes, in.size), -3);
    assert_int_equal(p.orb_unsubscribe(p.h, in.id), -3);
    assert_int_equal(p.orb_unsubscribe(p.h, in.id + 1), -2);
    px4_close(&p);
}

// --- parameters ---------------------------------------------------------------------------------

// Whether a child process that calls it has ended after so long, 10 ms each.
static bool ends(void (*call)(px4 *), px4 *p, int patience)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        call(p);
        _exit(0);
    }
    int status;
    pid_t ended = 0;
    for (int i = 0; i < patience && ended == 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        ended = waitpid(child, &status, WNOHANG);
    }
    if (ended == 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    return ended != 0;
}

// Still in there after a while.
static bool hangs(void (*call)(px4 *), px4 *p)
{
    return !ends(call, p, 20);
}

// However busy the machine is.
static bool returns(void (*call)(px4 *), px4 *p)
{
    return ends(call, p, 6000);
}

static void set_count(px4 *p)
{
    p->param_set_i32(p->h, "CA_ROTOR_COUNT", 4);
}

static void set_speed(px4 *p)
{
    p->param_set_f32(p->h, "MPC_XY_CRUISE", 4);
}

static void preset_count(px4 *p)
{
    p->param_preinit_set_i32("CA_ROTOR_COUNT", 4);
}

static void preset_speed(px4 *p)
{
    p->param_preinit_set_f32("MPC_XY_CRUISE", 4);
}

static void test_parameter_hang(void **state)
{
    (void)state;
    px4 p = px4_open(whole);
    p.autosave(false); // too early
    assert_true(hangs(preset_count, &p) && hangs(preset_speed, &p));
    p.h = p.create(px4_defaults);
    assert_true(hangs(set_count, &p) && hangs(set_speed, &p));
    p.autosave(false);
    assert_true(returns(set_count, &p) && returns(set_speed, &p));
    p.autosave(true);
    assert_true(hangs(set_count, &p));
    px4_close(&p);
}

static void test_parameters(void **state)
{
    (void)state;
    px4 p = px4_start(whole, px4_defaults);
    int32_t i = 0;
    float f = 0;
    p.autosave(false);
    assert_int_equal(p.param_set_i32(p.h, "CA_ROTOR_COUNT", 4), 0);
    assert_int_equal(p.param_get_i32(p.h, "CA_ROTOR_COUNT", &i), 0);
    assert_int_equal(i, 4);
    static const char *const fields[] = {"PX", "PY", "PZ", "AX", "AY", "AZ", "KM"};
    for (int k = 0; k < 2 * 7; k++) { // each is a place of its own
        char name[32];
        snprintf(name, sizeof name, "CA_ROTOR%d_%s", k / 7 * 11, fields[k % 7]);
        assert_int_equal(p.param_set_f32(p.h, name, (float)k), 0);
    }
    for (int k = 0; k < 2 * 7; k++) {
        char name[32];
        snprintf(name, sizeof name, "CA_ROTOR%d_%s", k / 7 * 11, fields[k % 7]);
        assert_int_equal(p.param_get_f32(p.h, name, &f), 0);
        assert_true(f == (float)k);
    }
    assert_int_equal(p.param_get_f32(p.h, "MPC_THR_HOVER", &f), 0);
    assert_true(f == 0.5f);
    assert_int_equal(p.param_set_i32(p.h, "NAV_ACC_RAD", 4), -3);
    assert_int_equal(p.param_set_f32(p.h, "CA_AIRFRAME", 4), -3);
    assert_int_equal(p.param_get_i32(p.h, "CA_ROTOR0_PX", &i), -3);
    assert_int_equal(p.param_set_f32(p.h, "CA_ROTOR12_PX", 4), -2);
    assert_int_equal(p.param_set_f32(p.h, "CA_ROTOR00_PX", 4), -2);
    assert_int_equal(p.param_get_f32(p.h, "MPC_NOTHING", &f), -2);
    assert_int_equal(p.param_preinit_set_f32("MPC_NOTHING", 1), -2);
    assert_int_equal(p.param_set_f32(p.h, NULL, 1), -1);
    assert_int_equal(p.param_set_f32(NULL, "NAV_ACC_RAD", 1), -1);
    assert_int_equal(p.param_get_f32(p.h, "NAV_ACC_RAD", NULL), -1);
    assert_int_equal(p.param_notify(p.h), 0);
    assert_int_equal(p.control_alloc_update_params(p.h), 0);
    px4_close(&p);

    int32_t without[9];
    memcpy(without, px4_defaults, sizeof without);
    without[7] = 0;
    p = px4_start(whole, without);
    assert_int_equal(p.control_alloc_update_params(p.h), -2);
    px4_close(&p);
}

// --- rates --------------------------------------------------------------------------------------

static int count(px4 *p, const char *topic, uint64_t period_us, uint64_t *gap_us)
{
    channel in;
    int runs = 0;
    uint64_t last = 0;
    assert_int_equal(subscriber(p, topic, 0, &in), 0);
    for (uint64_t t = 0; t < 1000000; t += period_us) {
        int32_t updated;
        uint8_t bytes[PX4_BYTES];
        p->step_uorb(p->h, t);
        assert_int_equal(p->orb_check(p->h, in.id, &updated), 0);
        if (!updated)
            continue;
        assert_int_equal(p->orb_copy(p->h, in.id, bytes, in.size), 0);
        assert_true((uint64_t)px4_get(bytes, topic, "timestamp", 0) == t);
        *gap_us = t - last;
        last = t;
        runs++;
    }
    return runs;
}

static void test_rates(void **state)
{
    (void)state;
    static const struct {
        const char *topic;
        uint64_t period_us, gap_us;
        int runs;
    } cases[] = {
        {"mission_result", 4000, 52000, 20},         {"vehicle_attitude_setpoint", 4000, 12000, 84},
        {"vehicle_rates_setpoint", 4000, 4000, 250}, {"trajectory_setpoint", 4000, 4000, 250},
        {"trajectory_setpoint", 1000, 1000, 1000},   {"vehicle_rates_setpoint", 1000, 4000, 250},
        {"actuator_motors", 3000, 6000, 167},        {"mission_result", 1000, 50000, 20}};
    setenv("PX4_STANDIN_CONTROLLER", "off", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        px4 p = px4_start(whole, px4_defaults);
        uint64_t gap = 0;
        assert_int_equal(count(&p, cases[i].topic, cases[i].period_us, &gap), cases[i].runs);
        assert_int_equal(gap, cases[i].gap_us);
        px4_close(&p);
    }
    static const int32_t fast[9] = {1, 0, 100, 0, 0, 0, 0, 1, -1};
    static const char *const topics[] = {"mission_result", "vehicle_attitude_setpoint",
                                         "vehicle_torque_setpoint", "actuator_motors"};
    for (int i = 0; i < 4; i++) {
        px4 p = px4_start(whole, fast);
        uint64_t gap;
        assert_int_equal(count(&p, topics[i], 4000, &gap), 250);
        px4_close(&p);
    }
    unsetenv("PX4_STANDIN_CONTROLLER");
}

// --- missions -----------------------------------------------------------------------------------

static int load(px4 *p, const char *text)
{
    const char *path = path_of("mission");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return p->load_mission_qgc_wpl(p->h, path);
}

#define HOME "0\t1\t0\t16\t0\t0\t0\t0\t47.4\t8.5\t488\t1\n"
#define WAY  "1\t0\t3\t16\t0\t0\t0\t0\t47.4\t8.5\t12\t1\n"

static void test_missions(void **state)
{
    (void)state;
    px4 p = px4_start(whole, px4_defaults);
    static char many[200 * sizeof WAY];
    strcpy(many, "QGC WPL 110\n" HOME);
    assert_int_equal(load(&p, ""), -3);
    assert_int_equal(load(&p, "{}\n"), -3);
    assert_int_equal(load(&p, "QGC WPL 110\n"), -4);
    assert_int_equal(load(&p, "QGC WPL 110\n" HOME), 0); // an item like any other
    assert_int_equal(load(&p, "QGC WPL 110\n" HOME WAY), 0);
    assert_int_equal(load(&p, "QGC WPL 110\r\n" WAY), 0);
    for (int i = 0; i < 150; i++)
        strcat(many, WAY);
    assert_int_equal(load(&p, many), -5);
    assert_int_equal(p.load_mission_qgc_wpl(p.h, path_of("nosuch")), -2);
    assert_int_equal(p.load_mission_qgc_wpl(p.h, NULL), -1);
    assert_int_equal(p.load_mission_qgc_wpl(NULL, path_of("mission")), -1);
    px4_close(&p);
}

// --- orders -------------------------------------------------------------------------------------

static void step_once(px4 *p)
{
    p->step_uorb(p->h, 0);
}

static void test_orders(void **state)
{
    (void)state;
    setenv("PX4_STANDIN_ABI", "2", 1);
    setenv("PX4_STANDIN_SIZES", "1,2,40", 1);
    setenv("PX4_STANDIN_HASH", "vehicle_status,home_position", 1);
    setenv("PX4_STANDIN_SIZE", "actuator_motors", 1);
    setenv("PX4_STANDIN_FAIL", "step_uorb:-3:2,param_notify:-4", 1);
    px4 p = px4_open(whole);
    uint32_t in, out, cfg;
    p.sizes(&in, &out, &cfg);
    assert_true(p.abi_version() == 2 && in == 1 && out == 2 && cfg == 40);
    p.h = p.create(px4_defaults);
    metadata m;
    ask(&p, "vehicle_status", &m);
    assert_true(m.hash != 0xf779fa65 && m.size == 80);
    ask(&p, "home_position", &m);
    assert_true(m.hash != 0x159bab7e);
    ask(&p, "actuator_motors", &m);
    assert_true(m.hash == 0xcabc4d45 && m.size == 80);
    assert_int_equal(p.step_uorb(p.h, 0), 0);
    assert_int_equal(p.step_uorb(p.h, 4000), -3);
    assert_int_equal(p.step_uorb(p.h, 8000), 0);
    assert_int_equal(p.param_notify(p.h), -4);
    assert_int_equal(p.param_notify(p.h), -4);
    px4_close(&p);
    static const char *const used[] = {"ABI", "SIZES", "HASH", "SIZE", "FAIL"};
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "PX4_STANDIN_%s", used[i]);
        unsetenv(name);
    }

    setenv("PX4_STANDIN_FAIL", "create:-1", 1);
    p = px4_open(whole);
    assert_null(p.create(px4_defaults));
    unsetenv("PX4_STANDIN_FAIL");

    setenv("PX4_STANDIN_HANG", "step_uorb:2", 1);
    p = px4_start(whole, px4_defaults);
    assert_true(returns(step_once, &p));
    assert_int_equal(p.step_uorb(p.h, 0), 0);
    assert_true(hangs(step_once, &p));
    px4_close(&p);
    unsetenv("PX4_STANDIN_HANG");
}

TEST_MAIN(cmocka_unit_test(test_handshake), cmocka_unit_test(test_one_handle),
          cmocka_unit_test(test_metadata), cmocka_unit_test(test_publishing),
          cmocka_unit_test(test_instances), cmocka_unit_test(test_topic_errors),
          cmocka_unit_test(test_parameter_hang), cmocka_unit_test(test_parameters),
          cmocka_unit_test(test_rates), cmocka_unit_test(test_missions),
          cmocka_unit_test(test_orders))
