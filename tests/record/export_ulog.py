#!/usr/bin/env python3
"""tactus export --format ulog: a walk of the file as the specification of ULog describes it, every
length, definition and value checked; with pyulog too, where that is installed."""

import json
import math
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.environ["TACTUS_SOURCE"], "tests/support"))
from recording import bits, record, same, tactus

CODES = {"int8_t": "b", "uint8_t": "B", "int16_t": "h", "uint16_t": "H", "int32_t": "i",
         "uint32_t": "I", "int64_t": "q", "uint64_t": "Q", "float": "f", "double": "d",
         "bool": "?", "char": "c"}

# PX4's own messages: q uint64_t, d double, f float, I uint32_t, H uint16_t, b bool or uint8_t.
ATTITUDE = "q timestamp timestamp_sample; f q*4 delta_q_reset*4; b quat_reset_counter"
LOCAL_POSITION = """q timestamp timestamp_sample ref_timestamp; d ref_lat ref_lon; f x y z delta_xy*2
    delta_z vx vy vz z_deriv delta_vxy*2 delta_vz ax ay az heading heading_var unaided_heading
    delta_heading tilt_var ref_alt dist_bottom dist_bottom_var delta_dist_bottom eph epv evh evv
    vxy_max vz_max hagl_min hagl_max_z hagl_max_xy; b xy_valid z_valid v_xy_valid v_z_valid
    xy_reset_counter z_reset_counter vxy_reset_counter vz_reset_counter heading_reset_counter
    heading_good_for_control xy_global z_global dist_bottom_valid dist_bottom_reset_counter
    dist_bottom_sensor_bitfield dead_reckoning"""
ANGULAR_VELOCITY = "q timestamp timestamp_sample; f xyz*3 xyz_derivative*3"
PX4 = {
    "battery_status": """q timestamp; f voltage_v current_a current_average_a discharged_mah
        remaining scale time_remaining_s temperature voltage_cell_v*14 max_cell_voltage_delta
        full_charge_capacity_wh remaining_capacity_wh nominal_voltage internal_resistance_estimate
        ocv_estimate ocv_estimate_filtered volt_based_soc_estimate voltage_prediction
        prediction_error estimation_covariance_norm; H capacity cycle_count average_time_to_empty
        manufacture_date state_of_health max_error interface_error faults over_discharge_count; b
        connected cell_count source priority id is_powering_off is_required warning""",
    "vehicle_attitude": ATTITUDE,
    "vehicle_attitude_groundtruth": ATTITUDE,
    "vehicle_local_position": LOCAL_POSITION,
    "vehicle_local_position_groundtruth": LOCAL_POSITION,
    "vehicle_angular_velocity": ANGULAR_VELOCITY,
    "vehicle_angular_velocity_groundtruth": ANGULAR_VELOCITY,
    "vehicle_land_detected": """q timestamp; b freefall ground_contact maybe_landed landed
        in_ground_effect in_descend has_low_throttle vertical_movement horizontal_movement
        rotational_movement close_to_ground_or_skipped_check at_rest""",
    "vehicle_status": """q timestamp armed_time takeoff_time nav_state_timestamp; I
        valid_nav_states_mask can_set_nav_states_mask; H failure_detector_status; b arming_state
        latest_arming_reason latest_disarming_reason nav_state_user_intention nav_state
        executor_in_charge hil_state vehicle_type failsafe failsafe_and_user_took_over
        failsafe_defer_state gcs_connection_lost gcs_connection_lost_counter
        high_latency_data_link_lost is_vtol is_vtol_tailsitter in_transition_mode
        in_transition_to_fw system_type system_id component_id safety_button_available safety_off
        power_input_valid usb_connected open_drone_id_system_present open_drone_id_system_healthy
        parachute_system_present parachute_system_healthy rc_calibration_in_progress
        calibration_enabled pre_flight_checks_pass""",
    "actuator_motors": "q timestamp timestamp_sample; f control*12; H reversible_flags",
    "vehicle_attitude_setpoint": "q timestamp; f yaw_sp_move_rate q_d*4 thrust_body*3",
    "vehicle_rates_setpoint": "q timestamp; f roll pitch yaw thrust_body*3; b reset_integral",
    "trajectory_setpoint":
        "q timestamp; f position*3 velocity*3 acceleration*3 jerk*3 yaw yawspeed",
    "wind": """q timestamp timestamp_sample; f windspeed_north windspeed_east variance_north
        variance_east tas_innov tas_innov_var beta_innov beta_innov_var""",
}
# Those that only PX4 itself fills.
OF_PX4 = {
    "vehicle_torque_setpoint": "q timestamp timestamp_sample; f xyz*3",
    "vehicle_thrust_setpoint": "q timestamp timestamp_sample; f xyz*3",
    "mission_result": """q timestamp; I mission_id geofence_id home_position_counter; i seq_reached; H
        seq_current seq_total item_changed_index item_do_jump_remaining; b valid warning finished
        failure item_do_jump_changed execution_mode""",
}


def px4_layout(topic):
    for part in PX4[topic].split(";"):
        code, *names = part.split()
        for name in names:
            name, _, count = name.partition("*")
            yield name, code, int(count or 1)


class ULog:
    """One walk over the file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        same("magic", self.data[:7], b"ULog\x01\x12\x35")
        same("version", self.data[7], 1)
        (self.start,) = struct.unpack_from("<Q", self.data, 8)
        self.formats, self.info, self.multi = {}, {}, {}
        self.subscriptions, self.messages, self.last = {}, {}, {}
        self.in_data = False
        at = 16
        while at < len(self.data):
            size, kind = struct.unpack_from("<HB", self.data, at)
            body = self.data[at + 3 : at + 3 + size]
            same("length of the last message", len(body), size)
            if at == 16:
                same("first message", chr(kind), "B")
            getattr(self, "read_" + chr(kind))(body)
            at += 3 + size

    def read_B(self, body):
        same("flags", body, bytes(40))

    def read_F(self, body):
        same("formats come first", self.in_data, False)
        name, fields = re.fullmatch(r"([a-zA-Z0-9_/-]+):(.*)", body.decode()).groups()
        same("formats of " + name, name in self.formats, False)
        layout = []
        for field in fields[:-1].split(";"):
            kind, count, field_name = re.fullmatch(
                r"(\w+)(?:\[(\d+)\])? ([a-zA-Z0-9_]+)", field
            ).groups()
            layout.append((field_name, CODES[kind], int(count or 1)))
        same("end of format " + name, fields[-1], ";")
        same("fields of " + name, len({f[0] for f in layout}), len(layout))
        same("first field of " + name, layout[0], ("timestamp", "Q", 1))
        at = 0
        for field_name, code, count in layout:
            size = struct.calcsize(code)
            same("alignment of %s.%s" % (name, field_name), at % size, 0)
            at += size * count
        self.formats[name] = (layout, at)

    @staticmethod
    def value(key, data):
        kind, count, name = re.fullmatch(r"(\w+)(?:\[(\d+)\])? (\w+)", key.decode()).groups()
        same("size of " + name, len(data), struct.calcsize(CODES[kind]) * int(count or 1))
        if kind == "char":
            return name, data.decode()
        return name, struct.unpack("<" + CODES[kind], data)[0]

    def read_I(self, body):
        name, value = self.value(body[1 : 1 + body[0]], body[1 + body[0] :])
        same("information %s once" % name, name in self.info, False)
        self.info[name] = value

    def read_M(self, body):
        name, value = self.value(body[2 : 2 + body[1]], body[2 + body[1] :])
        values = self.multi.setdefault(name, [])
        if body[0]:
            values[-1] += value
        else:
            values.append(value)

    def read_A(self, body):
        self.in_data = True
        instance, number = struct.unpack_from("<BH", body)
        name = body[3:].decode()
        same("subscription %d once" % number, number in self.subscriptions, False)
        same("ids count up", number, len(self.subscriptions))
        same("format of " + name, name in self.formats, True)
        others = [s for s in self.subscriptions.values() if s[0] == name]
        same("instances of " + name, instance, len(others))
        self.subscriptions[number] = (name, instance)
        self.messages[name, instance] = []

    def read_D(self, body):
        (number,) = struct.unpack_from("<H", body)
        name, instance = self.subscriptions[number]
        layout, size = self.formats[name]
        same("size of " + name, len(body) - 2, size)
        values, at = {}, 2
        for field, code, count in layout:
            values[field] = struct.unpack_from("<%d%s" % (count, code), body, at)
            at += struct.calcsize(code) * count
        (t_us,) = values["timestamp"]
        same("order of " + name, t_us > self.last.get(number, -1), True)
        same("order of all", t_us >= self.last.get("all", 0), True)
        self.last[number] = self.last["all"] = t_us
        self.messages[name, instance].append((t_us, values))


def check_own(log, recording, from_us=0, to_us=1 << 62):
    """All signals, bit for bit."""
    left = set(recording.signals)
    for text in log.multi["tactus_signal"]:
        about = json.loads(text)
        signal = recording.signals[about["signal"]]
        left.discard(signal.name)
        same("unit", about["unit"], signal.unit)
        same("doc", about["doc"], signal.doc)
        same("labels", about.get("labels"), signal.labels)
        same("topic", about["topic"], "tactus" + signal.channel.topic.replace("/", "_"))
        messages = log.messages[about["topic"], 0]
        series = recording.series(signal.name, from_us, to_us)
        same("times of " + signal.name, [m[0] for m in messages], [s[0] for s in series])
        for (t, values), (_, expected) in zip(messages, series):
            same("%s at %d" % (signal.name, t), [bits(v) for v in values[about["field"]]],
                 [bits(v) for v in expected])
    same("signals that are missing", left, set())


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def check_px4(log, recording, topic, instance, source, **fields):
    """Fields of a topic against signals: field=signal, or (signal, element), or a function too."""
    messages = log.messages[topic, instance]
    layout = [(n, {"Q": "q", "B": "b", "?": "b"}.get(c, c), k) for n, c, k in log.formats[topic][0]]
    same("layout of " + topic, layout, list(px4_layout(topic)))
    for field, what in fields.items():
        what = what if isinstance(what, tuple) else (what, None)
        name, element, convert = (what + (single,))[:3]
        series = recording.series(source + name)
        same("times of %s.%s" % (topic, field), [m[0] for m in messages], [s[0] for s in series])
        for (t, values), (_, expected) in zip(messages, series):
            expected = expected if element is None else expected[element : element + 1]
            got = values[field][: len(expected)]
            same("%s[%d].%s at %d" % (topic, instance, field, t), [bits(v) for v in got],
                 [bits(convert(v)) for v in expected])
            rest = values[field][len(expected) :]
            same("rest of " + field, [bits(v) for v in rest], [b"nan"] * len(rest))
            if "timestamp_sample" in values:
                same("timestamp_sample", values["timestamp_sample"], (t,))


def check_vehicle(log, recording, entity, i, batteries):
    v, e, c = entity + ".vehicle.", entity + ".estimator.", entity + ".control."
    px4 = lambda *args, **fields: check_px4(log, recording, *args, **fields)
    px4("vehicle_attitude_groundtruth", i, v, q="attitude")
    px4("vehicle_angular_velocity_groundtruth", i, v, xyz="rate")
    px4("vehicle_attitude", i, e, q="attitude")
    px4("vehicle_angular_velocity", i, e, xyz="rate")
    for topic, source in (("vehicle_local_position_groundtruth", v), ("vehicle_local_position", e)):
        px4(topic, i, source, x=("position", 0), y=("position", 1), z=("position", 2),
            vx=("velocity", 0), vy=("velocity", 1), vz=("velocity", 2), z_deriv=("velocity", 2))
    px4("vehicle_local_position", i, e, xy_valid=("valid", 0, bool), z_valid=("valid", 0, bool))
    for b in range(batteries):
        px4("battery_status", i * batteries + b, v, voltage_v=("battery.voltage", b),
            current_a=("battery.current", b), remaining=("battery.soc", b),
            warning=("battery.warning", b, int), id=("battery.soc", b, lambda _: b + 1))
    px4("actuator_motors", i, c, control="motor")
    px4("vehicle_attitude_setpoint", i, c, q_d="attitude_sp")
    px4("vehicle_rates_setpoint", i, c, roll=("rate_sp", 0), pitch=("rate_sp", 1),
        yaw=("rate_sp", 2))
    px4("trajectory_setpoint", i, c, position="position_sp", velocity="velocity_sp")
    px4("vehicle_land_detected", i, c, landed=("landed", 0, bool))
    check_status(log, recording, c, i)
    check_heading(log, recording, i, e)


def check_status(log, recording, source, i):
    states = {"idle": 0, "takeoff": 17, "mission": 3, "return": 5, "land": 18, "landed": 18,
              "hold": 4}
    labels = recording.signals[source + "phase"].labels
    check_px4(log, recording, "vehicle_status", i, source, arming_state=("armed", 0, lambda armed: 2 if armed else 1),
        nav_state=("phase", 0, lambda phase: states[labels[phase]]))


def check_heading(log, recording, i, source):
    attitude = recording.series(source + "attitude")
    for (t, values), (_, (w, x, y, z)) in zip(log.messages["vehicle_local_position", i], attitude):
        yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        same("heading at %d" % t, abs(values["heading"][0] - yaw) < 1e-6, True)


# --- one vehicle with two batteries --------------------------------------------------------------

path, recording = record("examples/octa_two_batteries.yaml", "duration=3 s", "scenario[3].at=2.5 s")
said = tactus("export", path, "-o", "a.ulg", "--json")
same("notes", '"notes": []' in said, True)
log = ULog("a.ulg")
same("start", log.start, 0)
same("sys_name", log.info["sys_name"], "Tactus")
same("time_ref_utc", log.info["time_ref_utc"], 0)
same("version", log.info["ver_sw_release"] >> 8,
     int("%02x%02x%02x" % tuple(map(int, log.info["ver_sw"].split("."))), 16))
same("config", "duration:" in log.multi["tactus_config"][0], True)
check_own(log, recording)
check_vehicle(log, recording, "uav", 0, 2)
voltages = [log.messages["battery_status", b][-1][1]["voltage_v"] for b in (0, 1)]
same("batteries differ", voltages[0] != voltages[1], True)
check_px4(log, recording, "wind", 0, "uav.wind.", windspeed_north=("velocity", 0),
          windspeed_east=("velocity", 1))
same("topics of PX4", {n for n, _ in log.messages if not n.startswith("tactus_")}, set(PX4))

# --- part of it; topics of PX4 only where their signals are chosen -----------------------------

tactus("export", path, "-o", "part.ulg", "--from", "1.5003 s", "--to", "2 s")
part = ULog("part.ulg")
same("start", part.start, 1500300)
check_own(part, recording, 1500300, 2000000)

tactus("export", path, "-o", "some.ulg", "--signals", "uav.vehicle.attitude", "--signals",
       "uav.vehicle.rate")
same("topics", set(ULog("some.ulg").formats), {"vehicle_attitude_groundtruth", "tactus_uav_vehicle",
                                               "vehicle_angular_velocity_groundtruth"})

# --- a whole flight passes through most states ---------------------------------------------------

path, recording = record("examples/iris_mission.yaml", "record.tier=log")
tactus("export", path, "-o", "flight.ulg", "--signals", "uav.control.armed", "--signals",
       "uav.control.phase")
log = ULog("flight.ulg")
check_status(log, recording, "uav.control.", 0)
passed = {v["nav_state"][0] for _, v in log.messages["vehicle_status", 0]}
same("states", passed >= {0, 17, 3, 18}, True)

# --- a swarm: each vehicle an instance, in order -------------------------------------------------

path, recording = record("examples/swarm.yaml", "duration=0.3 s")
tactus("export", path, "-o", "swarm.ulg")
log = ULog("swarm.ulg")
check_own(log, recording)
entities = [n.split(".")[0] for n in recording.signals if n.endswith(".vehicle.attitude")]
same("vehicles", len(entities) > 2, True)
for i, entity in enumerate(entities):
    check_vehicle(log, recording, entity, i, 1)

# --- what PX4 itself says, in its own topics -----------------------------------------------------

path, recording = record("examples/iris_px4.yaml", "duration=15 s", "record.tier=all")
tactus("export", path, "-o", "px4.ulg")
log = ULog("px4.ulg")
PX4.update(OF_PX4)
check_own(log, recording)
check_px4(log, recording, "vehicle_torque_setpoint", 0, "uav.control.", xyz="torque_sp")
check_px4(log, recording, "vehicle_thrust_setpoint", 0, "uav.control.", xyz="thrust_sp")
check_px4(log, recording, "mission_result", 0, "uav.control.",
          seq_reached=("mission_reached", 0, lambda n: n - 1), seq_current=("mission_current", 0, int),
          seq_total=("mission_total", 0, int), valid=("mission_valid", 0, bool))
check_px4(log, recording, "vehicle_status", 0, "uav.control.", nav_state=("nav_state", 0, int),
          nav_state_user_intention=("nav_state", 0, int))
check_px4(log, recording, "vehicle_land_detected", 0, "uav.control.",
          landed=("land_detected", 0, bool))
check_px4(log, recording, "actuator_motors", 0, "uav.control.", control="control")
check_px4(log, recording, "trajectory_setpoint", 0, "uav.control.", position="position_sp",
          velocity="velocity_sp", acceleration="acceleration_sp", yaw="yaw_sp")
reached = {v["seq_reached"][0] for _, v in log.messages["mission_result", 0]}
same("items reached", reached >= {-1, 0, 1}, True)
same("states", {v["nav_state"][0] for _, v in log.messages["vehicle_status", 0]}, {0, 3})

# --- as others read it ---------------------------------------------------------------------------

try:
    import pyulog
except ImportError:
    sys.exit(0)
log = ULog("swarm.ulg")
theirs = pyulog.ULog("swarm.ulg")
same("topics", {(d.name, d.multi_id) for d in theirs.data_list}, set(log.messages))
for d in theirs.data_list:
    for field, _, count in log.formats[d.name][0]:
        for e in range(count):
            column = d.data["%s[%d]" % (field, e) if "%s[0]" % field in d.data else field]
            same("%s.%s" % (d.name, field), [bits(float(v)) for v in column],
                 [bits(float(v[field][e])) for _, v in log.messages[d.name, d.multi_id]])
