#!/usr/bin/env python3
"""tactus export --format ulog: a walk of the file as the specification of ULog describes it, every
length, definition and value checked; in ./test.sh --clients with pyulog, too."""

import json
import math
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.environ["TACTUS_SOURCE"], "tests/support"))
from readers import add_readers
from recording import bits, record, same, tactus

CODES = {"int8_t": "b", "uint8_t": "B", "int16_t": "h", "uint16_t": "H", "int32_t": "i",
         "uint32_t": "I", "int64_t": "q", "uint64_t": "Q", "float": "f", "double": "d",
         "bool": "?", "char": "c"}

# PX4's own messages: q uint64_t, d double, f float, I uint32_t, H uint16_t, b bool or uint8_t.
ATTITUDE = "q timestamp timestamp_sample; f q*4 delta_q_reset*4; b quat_reset_counter"
GLOBAL_POSITION = """q timestamp timestamp_sample; d lat lon; f alt alt_ellipsoid delta_alt
    delta_terrain eph epv terrain_alt; b lat_lon_valid alt_valid lat_lon_reset_counter
    alt_reset_counter terrain_reset_counter terrain_alt_valid dead_reckoning"""
LOCAL_POSITION = """q timestamp timestamp_sample ref_timestamp; d ref_lat ref_lon; f x y z delta_xy*2
    delta_z vx vy vz z_deriv delta_vxy*2 delta_vz ax ay az heading heading_var unaided_heading
    delta_heading tilt_var ref_alt dist_bottom dist_bottom_var delta_dist_bottom eph epv evh evv
    vxy_max vz_max hagl_min hagl_max_z hagl_max_xy; b xy_valid z_valid v_xy_valid v_z_valid
    xy_reset_counter z_reset_counter vxy_reset_counter vz_reset_counter heading_reset_counter
    heading_good_for_control xy_global z_global dist_bottom_valid dist_bottom_reset_counter
    dist_bottom_sensor_bitfield dead_reckoning"""
ANGULAR_VELOCITY = "q timestamp timestamp_sample; f xyz*3 xyz_derivative*3"
GPS = """q timestamp timestamp_sample; d latitude_deg longitude_deg altitude_msl_m
    altitude_ellipsoid_m; q time_utc_usec; I device_id; f s_variance_m_s c_variance_rad eph epv hdop
    vdop; i noise_per_ms jamming_indicator; f vel_m_s vel_n_m_s vel_e_m_s vel_d_m_s cog_rad; i
    timestamp_time_relative; f heading heading_offset heading_accuracy rtcm_injection_rate; H
    automatic_gain_control; b fix_type jamming_state spoofing_state vel_ned_valid satellites_used
    selected_rtcm_instance rtcm_crc_failed rtcm_msg_used"""
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
    "vehicle_global_position": GLOBAL_POSITION,
    "vehicle_global_position_groundtruth": GLOBAL_POSITION,
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
    "vehicle_local_position_setpoint":
        "q timestamp; f x y z vx vy vz acceleration*3 thrust*3 yaw yawspeed",
    "vehicle_gps_position": GPS,
    "home_position": """q timestamp; d lat lon; f alt x y z roll pitch yaw; I update_count; b
        valid_alt valid_hpos valid_lpos manual_home""",
    "vehicle_attitude_setpoint": "q timestamp; f yaw_sp_move_rate q_d*4 thrust_body*3",
    "vehicle_rates_setpoint": "q timestamp; f roll pitch yaw thrust_body*3; b reset_integral",
    "trajectory_setpoint":
        "q timestamp; f position*3 velocity*3 acceleration*3 jerk*3 yaw yawspeed",
    "wind": """q timestamp timestamp_sample; f windspeed_north windspeed_east variance_north
        variance_east tas_innov tas_innov_var beta_innov beta_innov_var""",
    "mission_result": """q timestamp; I mission_id geofence_id home_position_counter; i seq_reached; H
        seq_current seq_total item_changed_index item_do_jump_remaining; b valid warning finished
        failure item_do_jump_changed execution_mode""",
}
# Those of sensors.
OF_SENSORS = {
    "sensor_combined": """q timestamp; f gyro_rad*3; I gyro_integral_dt; i
        accelerometer_timestamp_relative; f accelerometer_m_s2*3; I accelerometer_integral_dt; b
        accelerometer_clipping gyro_clipping accel_calibration_count gyro_calibration_count""",
    "vehicle_air_data": """q timestamp timestamp_sample; I baro_device_id; f baro_alt_meter
        baro_pressure_pa ambient_temperature rho eas2tas; b temperature_source calibration_count""",
    "vehicle_magnetometer": """q timestamp timestamp_sample; I device_id; f magnetometer_ga*3; b
        calibration_count""",
    "sensor_gps": GPS,
}
# Those that only PX4 itself fills.
OF_PX4 = {
    "vehicle_torque_setpoint": "q timestamp timestamp_sample; f xyz*3",
    "vehicle_thrust_setpoint": "q timestamp timestamp_sample; f xyz*3",
    "actuator_servos": "q timestamp timestamp_sample; f control*8",
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
        self.parameters, self.log = {}, []
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

    def read_P(self, body):
        same("parameters come before data", self.in_data, False)
        kind, name = re.fullmatch(r"(float|int32_t) (\S+)", body[1 : 1 + body[0]].decode()).groups()
        same("parameter %s once" % name, name in self.parameters, False)
        same("a name of PX4", re.fullmatch(r"[A-Z][A-Z0-9_]*", name) is not None, True)
        value = body[1 + body[0] :]
        (self.parameters[name],) = struct.unpack("<" + CODES[kind], value)

    def read_L(self, body):
        same("the log is part of the data", self.in_data, True)
        level, t_us = struct.unpack_from("<cQ", body)
        same("order of all", t_us >= self.last.get("all", 0), True)
        self.last["all"] = t_us
        self.log.append((t_us, level.decode(), body[9:].decode()))

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
    px4("vehicle_local_position_setpoint", i, c, x=("position_sp", 0), y=("position_sp", 1),
        z=("position_sp", 2), vx=("velocity_sp", 0), vz=("velocity_sp", 2))
    check_gps(log, recording, "vehicle_gps_position", i, e + "position", e + "velocity")
    check_home(log, i, recording.series(e + "position")[0][1])
    px4("vehicle_land_detected", i, c, landed=("landed", 0, bool))
    px4("mission_result", i, c, seq_reached=("mission_reached", 0, lambda n: n - 1),
        seq_current=("mission_current", 0, int), seq_total=("mission_total", 0, int))
    check_place(log, recording, "vehicle_global_position_groundtruth", i, v + "position")
    check_place(log, recording, "vehicle_global_position", i, e + "position")
    check_status(log, recording, c, i)
    check_heading(log, recording, i, e)


def check_status(log, recording, source, i):
    states = {"idle": 0, "takeoff": 17, "mission": 3, "return": 5, "land": 18, "landed": 18,
              "hold": 4}
    labels = recording.signals[source + "phase"].labels
    check_px4(log, recording, "vehicle_status", i, source, arming_state=("armed", 0, lambda armed: 2 if armed else 1),
        nav_state=("phase", 0, lambda phase: states[labels[phase]]))


def check_place(log, recording, topic, i, source):
    """Latitude, longitude and altitude lead back to the place in NED."""
    messages = log.messages[topic, i]
    same("layout of " + topic, [n for n, _, _ in log.formats[topic][0]],
         [n for n, _, _ in px4_layout(topic)])
    series = recording.series(source)
    same("times of " + topic, [m[0] for m in messages], [s[0] for s in series])
    for (t, v), (_, ned) in zip(messages, series):
        got = TO_NED(v["lat"][0], v["lon"][0], v["alt"][0])
        # alt is single precision: some 0.03 m at 500 m, at 200 km 0.016 m
        if max(abs(a - b) for a, b in zip(got, ned)) > 0.03:
            sys.exit("%s at %d: %r, not %r" % (topic, t, got, ned))
    same("valid", {v["lat_lon_valid"][0] for _, v in messages} <= {True, False}, True)


A, F = 6378137.0, 1 / 298.257223563  # WGS84


def check_gps(log, recording, topic, i, position, velocity):
    messages = log.messages[topic, i]
    same("layout of " + topic, [n for n, _, _ in log.formats[topic][0]],
         [n for n, _, _ in px4_layout(topic)])
    same("times of " + topic, [m[0] for m in messages], [s[0] for s in recording.series(position)])
    for (t, v), (_, ned), (_, speed) in zip(messages, recording.series(position),
                                            recording.series(velocity)):
        got = TO_NED(v["latitude_deg"][0], v["longitude_deg"][0], v["altitude_msl_m"][0])
        same("%s at %d" % (topic, t), max(abs(a - b) for a, b in zip(got, ned)) < 1e-6, True)
        same("speed at %d" % t, [bits(v[f][0]) for f in ("vel_n_m_s", "vel_e_m_s", "vel_d_m_s")],
             [bits(single(x)) for x in speed])
        same("a fix", (v["fix_type"][0], v["vel_ned_valid"][0]), (3, True))


def check_home(log, i, ned):
    """One message, at the start."""
    ((t, v),) = log.messages["home_position", i]
    same("time of home", t, 0)
    same("home", [bits(v[f][0]) for f in "xyz"], [bits(single(x)) for x in ned])
    got = TO_NED(v["lat"][0], v["lon"][0], v["alt"][0])
    same("place of home", max(abs(a - b) for a, b in zip(got, ned)) < 0.03, True)
    same("valid", [v[f][0] for f in ("valid_alt", "valid_hpos", "valid_lpos")], [True] * 3)


def ecef(lat, lon, alt):
    lat, lon = math.radians(lat), math.radians(lon)
    n = A / math.sqrt(1 - F * (2 - F) * math.sin(lat) ** 2)
    return ((n + alt) * math.cos(lat) * math.cos(lon), (n + alt) * math.cos(lat) * math.sin(lon),
            (n * (1 - F) ** 2 + alt) * math.sin(lat))


def axes(lat, lon):
    """North, east, down in ECEF."""
    lat, lon = math.radians(lat), math.radians(lon)
    s, c, sl, cl = math.sin(lat), math.cos(lat), math.sin(lon), math.cos(lon)
    return ((-s * cl, -s * sl, c), (-sl, cl, 0), (-c * cl, -c * sl, -s))


def ned_on_wgs84(origin):
    def convert(lat, lon, alt):
        d = [a - b for a, b in zip(ecef(lat, lon, alt), ecef(*origin))]
        return [sum(x * y for x, y in zip(row, d)) for row in axes(*origin[:2])]
    return convert


def ned_on_sphere(origin):
    def convert(lat, lon, alt):
        return [math.radians(lat - origin[0]) * A, math.radians(lon - origin[1]) * A *
                math.cos(math.radians(origin[0])), origin[2] - alt]
    return convert


def rotate(q, v):
    """A vector by a quaternion."""
    w, x, y, z = q
    return ((1 - 2 * (y * y + z * z)) * v[0] + 2 * (x * y - w * z) * v[1] + 2 * (x * z + w * y) * v[2],
            2 * (x * y + w * z) * v[0] + (1 - 2 * (x * x + z * z)) * v[1] + 2 * (y * z - w * x) * v[2],
            2 * (x * z - w * y) * v[0] + 2 * (y * z + w * x) * v[1] + (1 - 2 * (x * x + y * y)) * v[2])


def check_reference(log, topic, i, origin):
    for _, v in log.messages[topic, i]:
        same("ref_lat", abs(v["ref_lat"][0] - origin[0]) < 1e-12, True)
        same("ref_lon", abs(v["ref_lon"][0] - origin[1]) < 1e-12, True)
        same("ref_alt", v["ref_alt"][0], single(origin[2]))
        same("global", (v["xy_global"][0], v["z_global"][0]), (True, True))


def check_log(log, recording):
    """What components said, with the levels of the kernel of Linux."""
    levels = {10: "7", 20: "6", 30: "4", 40: "3"}
    same("log", log.log, [(t, levels[level], "[%s] %s" % (name, text) if name else text)
                          for t, level, name, text in recording.log])


def check_heading(log, recording, i, source):
    attitude = recording.series(source + "attitude")
    for (t, values), (_, (w, x, y, z)) in zip(log.messages["vehicle_local_position", i], attitude):
        yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        same("heading at %d" % t, abs(values["heading"][0] - yaw) < 1e-6, True)


# --- one vehicle with two batteries --------------------------------------------------------------

IRIS = (47.397742, 8.545594, 488.0)
TO_NED = ned_on_sphere(IRIS)
path, recording = record("examples/octa_two_batteries.yaml", "duration=3 s", "scenario[3].at=2.5 s")
said = tactus("export", path, "-o", "a.ulg", "--json", "--rate", "all")
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
check_reference(log, "vehicle_local_position", 0, IRIS)
check_reference(log, "vehicle_local_position_groundtruth", 0, IRIS)
check_log(log, recording)
same("something was said", len(log.log) > 1, True)
def given(log, name):
    """A parameter of a component, as the model's text has it."""
    return [t.split(" = ", 1)[1] for t in log.multi["tactus_parameter"] if t.startswith(name + " = ")]


same("parameters", float(given(log, "uav.control.cruise_speed")[0]) > 0, True)
same("MAV_TYPE", (log.parameters["MAV_TYPE"], log.parameters["CA_ROTOR_COUNT"]), (14, 8))
voltages = [log.messages["battery_status", b][-1][1]["voltage_v"] for b in (0, 1)]
same("batteries differ", voltages[0] != voltages[1], True)
check_px4(log, recording, "wind", 0, "uav.wind.", windspeed_north=("velocity", 0),
          windspeed_east=("velocity", 1))
same("topics of PX4", {n for n, _ in log.messages if not n.startswith("tactus_")}, set(PX4))

# --- part of it; topics of PX4 only where their signals are chosen -----------------------------

tactus("export", path, "--rate", "all", "-o", "part.ulg", "--from", "1.5003 s", "--to", "2 s")
part = ULog("part.ulg")
same("start", part.start, 1500300)
check_own(part, recording, 1500300, 2000000)

tactus("export", path, "--rate", "all", "-o", "some.ulg", "--signals", "uav.vehicle.attitude", "--signals",
       "uav.vehicle.rate")
same("topics", set(ULog("some.ulg").formats), {"vehicle_attitude_groundtruth", "tactus_uav_vehicle",
                                               "vehicle_angular_velocity_groundtruth"})

# --- a whole flight passes through most states ---------------------------------------------------

path, recording = record("examples/iris_mission.yaml", "record.tier=log")
tactus("export", path, "--rate", "all", "-o", "flight.ulg", "--signals", "uav.control.armed", "--signals",
       "uav.control.phase")
log = ULog("flight.ulg")
check_status(log, recording, "uav.control.", 0)
passed = {v["nav_state"][0] for _, v in log.messages["vehicle_status", 0]}
same("states", passed >= {0, 17, 3, 18}, True)

tactus("export", path, "--rate", "all", "-o", "mission.ulg", "--signals", "uav.control.mission_*")
log = ULog("mission.ulg")
check_log(log, recording)
results = log.messages["mission_result", 0]
total = recording.series("uav.control.mission_total")[-1][1][0]
for (_, v), (_, (reached,)) in zip(results, recording.series("uav.control.mission_reached")):
    same("finished", v["finished"][0], reached >= total)
    same("valid", v["valid"][0], True)
same("finished", {v["finished"][0] for _, v in results}, {False, True})
same("failure", {v["failure"][0] for _, v in results}, {False})

# --- sensors -------------------------------------------------------------------------------------

path, recording = record("examples/sensors.yaml", "duration=1 s")
tactus("export", path, "--rate", "all", "-o", "sensors.ulg")
log = ULog("sensors.ulg")
PX4.update(OF_SENSORS)
degrees = lambda x: x * (180 / math.pi)
check_px4(log, recording, "sensor_combined", 0, "imu.", gyro_rad="rate",
          accelerometer_m_s2="specific_force")
check_px4(log, recording, "vehicle_air_data", 0, "baro.", baro_pressure_pa="pressure",
          baro_alt_meter="altitude")
check_px4(log, recording, "vehicle_magnetometer", 0, "mag.",
          magnetometer_ga=("field", None, lambda x: single(x * 1e4)))
check_px4(log, recording, "sensor_gps", 0, "gps.", altitude_msl_m=("altitude", 0, float),
          vel_n_m_s=("velocity", 0), vel_e_m_s=("velocity", 1), vel_d_m_s=("velocity", 2),
          fix_type=("valid", 0, lambda valid: 3 if valid else 0), vel_ned_valid=("valid", 0, bool))
for (_, v), (_, (lat,)), (_, (lon,)), (_, (n, e, d)) in zip(
        log.messages["sensor_gps", 0], recording.series("gps.latitude"),
        recording.series("gps.longitude"), recording.series("gps.velocity")):
    same("latitude", abs(v["latitude_deg"][0] - degrees(lat)) < 1e-12, True)
    same("longitude", abs(v["longitude_deg"][0] - degrees(lon)) < 1e-12, True)
    same("speed", abs(v["vel_m_s"][0] - math.sqrt(n * n + e * e + d * d)) < 1e-5, True)
    same("course", abs(v["cog_rad"][0] - math.atan2(e, n)) < 1e-5, True)
same("a fix", {v["fix_type"][0] for _, v in log.messages["sensor_gps", 0]} & {3}, {3})
same("position of the sensor", repr(log.messages["vehicle_gps_position", 0]) ==
     repr(log.messages["sensor_gps", 0]), True)
same("one receiver", ("vehicle_gps_position", 1) in log.messages, False)
TO_NED = ned_on_wgs84(IRIS)
check_place(log, recording, "vehicle_global_position", 0, "estimator.position")
check_place(log, recording, "vehicle_global_position_groundtruth", 0, "vehicle.position")
check_reference(log, "vehicle_local_position", 0, IRIS)
check_log(log, recording)

# --- a rocket: its states are in ECEF, topics of PX4 in NED at the origin --------------------------

path, recording = record("examples/rocket.yaml", "duration=40 s")
said = tactus("export", path, "-o", "rocket.ulg", "--json", "--rate", "all")
same("notes", '"notes": []' in said, True)
log = ULog("rocket.ulg")
check_own(log, recording)
check_log(log, recording)
same("parameters", given(log, "rocket.motor1.thrust"), ["120000"])
same("parameters of PX4", log.parameters, {})
KIRUNA = (67.89, 21.10, 330.0)
TO_NED = ned_on_wgs84(KIRUNA)
for i, body in enumerate(("rocket.body.", "booster.body.")):
    check_px4(log, recording, "vehicle_local_position_groundtruth", i, body, x=("ned", 0),
              y=("ned", 1), z=("ned", 2))
    check_reference(log, "vehicle_local_position_groundtruth", i, KIRUNA)
    check_place(log, recording, "vehicle_global_position_groundtruth", i, body + "ned")
    places = log.messages["vehicle_local_position_groundtruth", i]
    attitudes = log.messages["vehicle_attitude_groundtruth", i]
    for (t, v), (_, a), (_, velocity), (_, q) in zip(places, attitudes,
                                                     recording.series(body + "velocity"),
                                                     recording.series(body + "attitude")):
        expected = [sum(x * y for x, y in zip(row, velocity)) for row in axes(*KIRUNA[:2])]
        got = [v[f][0] for f in ("vx", "vy", "vz")]
        if max(abs(x - y) for x, y in zip(got, expected)) > 1e-6 * max(1, *map(abs, expected)):
            sys.exit("velocity at %d: %r, not %r" % (t, got, expected))
        for unit in (1, 0, 0), (0, 1, 0), (0, 0, 1):  # the axes of the body, in NED
            turned = rotate(q, unit)
            expected = [sum(x * y for x, y in zip(row, turned)) for row in axes(*KIRUNA[:2])]
            got = rotate(a["q"], unit)
            if max(abs(x - y) for x, y in zip(got, expected)) > 1e-6:
                sys.exit("attitude at %d: %r, not %r" % (t, got, expected))
        nose = rotate(a["q"], (1, 0, 0))
        if math.hypot(*nose[:2]) > 1e-3:
            error = math.remainder(v["heading"][0] - math.atan2(nose[1], nose[0]), 2 * math.pi)
            same("heading at %d" % t, abs(error) < 1e-3, True)
    far = max(abs(v[f][0]) for _, v in places for f in "xyz")
    same("no metres of ECEF", far < 1e5, True)

# --- a swarm: each vehicle an instance, in order -------------------------------------------------

TO_NED = ned_on_sphere(IRIS)
path, recording = record("examples/swarm.yaml", "duration=0.3 s")
tactus("export", path, "--rate", "all", "-o", "swarm.ulg")
log = ULog("swarm.ulg")
check_own(log, recording)
entities = [n.split(".")[0] for n in recording.signals if n.endswith(".vehicle.attitude")]
same("vehicles", len(entities) > 2, True)
for i, entity in enumerate(entities):
    check_vehicle(log, recording, entity, i, 1)

# --- what PX4 itself says, in its own topics -----------------------------------------------------

path, recording = record("examples/iris_px4.yaml", "duration=15 s", "record.tier=all")
tactus("export", path, "--rate", "all", "-o", "px4.ulg")
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
check_px4(log, recording, "actuator_servos", 0, "uav.control.", control="servo")
check_px4(log, recording, "trajectory_setpoint", 0, "uav.control.", position="position_sp",
          velocity="velocity_sp", acceleration="acceleration_sp", yaw="yaw_sp")
reached = {v["seq_reached"][0] for _, v in log.messages["mission_result", 0]}
same("items reached", reached >= {-1, 0, 1}, True)
same("states", {v["nav_state"][0] for _, v in log.messages["vehicle_status", 0]}, {0, 3})

# --- for Flight Review: small, with what it reads --------------------------------------------------

# Topics and fields that its plots, tables and map read.
REVIEW = {
    "vehicle_status": "nav_state vehicle_type is_vtol in_transition_mode",
    "vehicle_local_position": "x y z vx vy vz xy_valid z_valid v_xy_valid v_z_valid",
    "vehicle_local_position_setpoint": "x y z vx vy vz",
    "vehicle_local_position_groundtruth": "x y z vx vy vz",
    "vehicle_global_position": "lat lon alt",
    "vehicle_gps_position": """latitude_deg longitude_deg altitude_msl_m eph epv satellites_used
        fix_type noise_per_ms jamming_indicator time_utc_usec vel_m_s""",
    "home_position": "lat lon alt",
    "vehicle_attitude": "q",
    "vehicle_attitude_setpoint": "q_d yaw_sp_move_rate",
    "vehicle_attitude_groundtruth": "q",
    "vehicle_angular_velocity": "xyz",
    "vehicle_rates_setpoint": "roll pitch yaw",
    "vehicle_torque_setpoint": "xyz",
    "vehicle_thrust_setpoint": "xyz",
    "vehicle_land_detected": "landed",
    "actuator_motors": "control",
    "battery_status": "voltage_v current_a discharged_mah remaining",
    # What the configuration subscribes to, here beside what the table has.
    "vehicle_control_mode": "flag_control_offboard_enabled",
}

with open("iris.params", "w") as file:
    file.write("1\t1\tMPC_XY_VEL_MAX\t8.5\t9\n1\t1\tRTL_TYPE\t1\t6\n1\t1\tMPC_XY_CRUISE\t3\t9\n")
path, recording = record("examples/iris_px4.yaml", "autopilot.px4.params={MPC_XY_CRUISE: 4.5}",
                         "autopilot.px4.params_file=%s/iris.params" % os.getcwd(),
                         "autopilot.px4.subscribe=[{topic: actuator_motors, fields: {flags: "
                         "reversible_flags}}, {topic: vehicle_control_mode, fields: {offboard: "
                         "flag_control_offboard_enabled}}]")
tactus("export", path, "-o", "review.ulg")
same("at most 8 MB", os.path.getsize("review.ulg") <= 8000000, True)
log = ULog("review.ulg")
for topic, fields in REVIEW.items():
    same("messages of " + topic, len(log.messages[topic, 0]) > 0, True)
    same("fields of " + topic, set(fields.split()) - {n for n, _, _ in log.formats[topic][0]}, set())
same("format of GPS", log.info["ver_data_format"], 2)
same("MAV_TYPE", (log.parameters["MAV_TYPE"], log.parameters["SYS_AUTOSTART"]), (2, 4001))
same("geometry", [round(log.parameters["CA_ROTOR2_" + p], 6) for p in ("PX", "PY", "AZ", "KM")],
     [0.1515, -0.245, -1.0, -0.05])
same("parameters of PX4", [log.parameters[p] for p in ("MPC_XY_CRUISE", "MPC_XY_VEL_MAX", "RTL_TYPE")],
     [4.5, 8.5, 1])
same("type", type(log.parameters["RTL_TYPE"]), int)
same("offboard", {v["flag_control_offboard_enabled"][0] for _, v in log.messages["vehicle_control_mode", 0]}, {False})
same("flags", {v["reversible_flags"][0] for _, v in log.messages["actuator_motors", 0]}, {0})
# No topic is faster than it is said to be, but a change is never lost.
for name, least in (("vehicle_attitude", 20000), ("vehicle_local_position", 50000),
                    ("tactus_uav_vehicle", 50000)):
    times = [t for t, _ in log.messages[name, 0]]
    same("rate of " + name, min(b - a for a, b in zip(times, times[1:])) >= least, True)
changes = lambda series: [(t, v) for (t, v), (_, before) in zip(series[1:], series) if v != before]
same("changes of the state", changes([(t, v["nav_state"][0]) for t, v in log.messages["vehicle_status", 0]]),
     changes([(t, v[0]) for t, v in recording.series("uav.control.nav_state")]))
same("changes of landed", changes([(t, v["landed"][0]) for t, v in log.messages["vehicle_land_detected", 0]]),
     changes([(t, v[0]) for t, v in recording.series("uav.control.land_detected")]))
tactus("export", path, "-o", "slow.ulg", "--rate", "2 Hz")
slow = ULog("slow.ulg")
times = [t for t, _ in slow.messages["vehicle_attitude", 0]]
same("a rate of one's own", {b - a for a, b in zip(times, times[1:])}, {500000})

# --- as others read it ---------------------------------------------------------------------------

if not add_readers("export_ulog"):
    sys.exit(0)
import pyulog

log = ULog("swarm.ulg")
theirs = pyulog.ULog("swarm.ulg")
same("topics", {(d.name, d.multi_id) for d in theirs.data_list}, set(log.messages))
for d in theirs.data_list:
    for field, _, count in log.formats[d.name][0]:
        for e in range(count):
            column = d.data["%s[%d]" % (field, e) if "%s[0]" % field in d.data else field]
            same("%s.%s" % (d.name, field), [bits(float(v)) for v in column],
                 [bits(float(v[field][e])) for _, v in log.messages[d.name, d.multi_id]])

review = pyulog.ULog("review.ulg")
from pyulog.px4 import PX4ULog

px4 = PX4ULog(review)
px4.add_roll_pitch_yaw()
same("type", px4.get_mav_type(), "Quadrotor")
same("yaw", {"roll", "pitch", "yaw"} <= set(review.get_dataset("vehicle_attitude").data), True)
same("files that are damaged", review.file_corruption, False)

# Its programs show parameters, messages and topics.
import subprocess


def shown(tool, path):
    command = "import sys; from pyulog.%s import main; sys.exit(main())" % tool
    return subprocess.run([sys.executable, "-c", command, path], capture_output=True, text=True,
                          check=True).stdout


said = shown("info", "sensors.ulg")
for topic in set(OF_SENSORS) | {"vehicle_global_position", "vehicle_local_position"}:
    same("ulog_info shows " + topic, re.search(r"^ %s \(0, " % topic, said, re.M) is not None, True)
same("ulog_info shows the mission", " mission_result (0, " in shown("info", "mission.ulg"), True)
same("ulog_messages", "INFO: [uav.control] takeoff" in shown("messages", "mission.ulg"), True)
same("ulog_params", "MAV_TYPE,2" in shown("params", "mission.ulg"), True)
same("parameters", pyulog.ULog("mission.ulg").initial_parameters, ULog("mission.ulg").parameters)
