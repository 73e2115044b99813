// allocate.c - see allocate.h.
#include "allocate.h"

#include "vec.h"
#include "workers.h"

#include <stdio.h>
#include <string.h>

// --- the mix ------------------------------------------------------------------------------------

// What a rotor at full thrust does: torque about x, y, z, thrust upwards.
static void effect(const params *p, int i, double b[4])
{
    const vec3 at = {params_rotor(p, i, ROTOR_PX), params_rotor(p, i, ROTOR_PY),
                     params_rotor(p, i, ROTOR_PZ)};
    vec3 axis = {params_rotor(p, i, ROTOR_AX), params_rotor(p, i, ROTOR_AY),
                 params_rotor(p, i, ROTOR_AZ)};
    const double length = vec3_norm(axis);
    axis = vec3_scale(length > 0 ? params_rotor(p, i, ROTOR_CT) / length : 0, axis);
    const vec3 torque =
        vec3_sub(vec3_cross(at, axis), vec3_scale(params_rotor(p, i, ROTOR_KM), axis));
    b[0] = torque.x;
    b[1] = torque.y;
    b[2] = torque.z;
    b[3] = -axis.z;
}

// By Gauss and Jordan; false where there is no inverse.
static bool invert(double m[4][8])
{
    for (int c = 0; c < 4; c++) {
        int best = c;
        for (int r = c + 1; r < 4; r++)
            best = fabs(m[r][c]) > fabs(m[best][c]) ? r : best;
        if (fabs(m[best][c]) < 1e-9)
            return false;
        for (int k = 0; k < 8; k++) {
            const double other = m[c][k];
            m[c][k] = m[best][k];
            m[best][k] = other;
        }
        const double pivot = m[c][c];
        for (int k = 0; k < 8; k++)
            m[c][k] /= pivot;
        for (int r = 0; r < 4; r++) {
            const double factor = r == c ? 0 : m[r][c];
            for (int k = 0; k < 8; k++)
                m[r][k] -= factor * m[c][k];
        }
    }
    return true;
}

// Scales each column so that torques are about what the rotors can do, thrust the mean of them.
static void normalise(allocation *a)
{
    double roll = 0, pitch = 0, yaw = 0, thrust = 0;
    int live = 0;
    for (int i = 0; i < a->rotors; i++)
        live += !(a->failed & 1u << i);
    for (int i = 0; i < a->rotors; i++) {
        roll += a->mix[i][0] * a->mix[i][0];
        pitch += a->mix[i][1] * a->mix[i][1];
        yaw = fmax(yaw, fabs(a->mix[i][2]));
        thrust += fabs(a->mix[i][3]) / live;
    }
    const double tilt = sqrt(fmax(roll, pitch) / (live / 2.0));
    const double scale[] = {tilt, tilt, yaw, thrust};
    for (int i = 0; i < a->rotors; i++) {
        for (int k = 0; k < 4; k++)
            a->mix[i][k] /= scale[k];
    }
}

void allocation_update(allocation *a, const params *p)
{
    const int32_t n = p->value[PARAM_CA_ROTOR_COUNT].i32;
    double b[ROTORS_MAX][4], m[4][8] = {{0}};
    a->rotors = 0;
    if (p->value[PARAM_CA_AIRFRAME].i32 != 0 || n < 1 || n > ROTORS_MAX)
        return;
    for (int i = 0; i < n; i++) {
        effect(p, i, b[i]);
        if (a->failed & 1u << i)
            memset(b[i], 0, sizeof b[i]);
    }
    for (int r = 0; r < 4; r++) {
        m[r][4 + r] = 1;
        for (int c = 0; c < 4; c++) {
            for (int i = 0; i < n; i++)
                m[r][c] += b[i][r] * b[i][c];
        }
    }
    if (!invert(m))
        return;
    a->rotors = n; // the pseudo-inverse is B' (B B')^-1
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            a->mix[i][k] = 0;
            for (int r = 0; r < 4; r++)
                a->mix[i][k] += b[i][r] * m[r][4 + k];
        }
    }
    normalise(a);
}

// --- outputs ------------------------------------------------------------------------------------

// The greatest part of `add` up to 1 with which all outputs stay within 0 and 1.
static double fitting(const double *out, const double *add, int n)
{
    double part = 1;
    for (int i = 0; i < n; i++) {
        const double room = add[i] > 0 ? 1 - out[i] : out[i];
        if (fabs(add[i]) * part > room)
            part = room > 0 ? room / fabs(add[i]) : 0;
    }
    return part;
}

// Tilting comes first: thrust gives way to it, never upwards; turning takes what is left.
static void share_out(const allocation *a, vec3 torque, double thrust, double *out)
{
    double tilt[ROTORS_MAX], turn[ROTORS_MAX], peak = 0;
    for (int i = 0; i < a->rotors; i++) {
        tilt[i] = a->mix[i][0] * torque.x + a->mix[i][1] * torque.y;
        turn[i] = a->mix[i][2] * torque.z;
        out[i] = a->mix[i][3] * thrust;
        peak = fmax(peak, out[i] + tilt[i] - 1);
    }
    for (int i = 0; i < a->rotors; i++)
        out[i] = clamp(out[i] - peak, 0, 1);
    const double tilting = fitting(out, tilt, a->rotors);
    for (int i = 0; i < a->rotors; i++)
        out[i] = clamp(out[i] + tilting * tilt[i], 0, 1);
    const double turning = fitting(out, turn, a->rotors);
    for (int i = 0; i < a->rotors; i++)
        out[i] = clamp(out[i] + turning * turn[i], 0, 1);
}

// Leave out the first motor that fails. Further failures are not handled. When the failure is over,
// all motors come back.
static void check_for_failures(allocation *a, uorb *u, const params *p)
{
    struct failure_detector_status f;
    if (p->value[PARAM_CA_FAILURE_MODE].i32 < 1 || !READ(u, failure_detector_status, &f))
        return;
    const uint32_t mask = f.motor_failure_mask;
    if (f.fd_motor && a->failed == 0 && mask != 0 && (mask & (mask - 1)) == 0) {
        char text[64];
        a->failed = mask;
        snprintf(text, sizeof text, "Removing motor from allocation (0x%x)", (unsigned)mask);
        say("WARN", "control_allocator", text);
        allocation_update(a, p);
    } else if (!f.fd_motor && a->failed != 0) {
        a->failed = 0;
        say("INFO", "control_allocator", "Restoring all motors");
        allocation_update(a, p);
    }
}

void allocation_run(allocation *a, uorb *u, const params *p, uint64_t now_us)
{
    struct vehicle_torque_setpoint torque;
    struct vehicle_thrust_setpoint thrust;
    struct vehicle_control_mode mode;
    struct actuator_armed armed;
    if (!READ(u, vehicle_torque_setpoint, &torque) || !READ(u, vehicle_thrust_setpoint, &thrust) ||
        !READ(u, vehicle_control_mode, &mode) || !mode.flag_control_allocation_enabled ||
        !READ(u, actuator_armed, &armed))
        return;
    check_for_failures(a, u, p);
    double out[ROTORS_MAX] = {0};
    if (armed.armed && !armed.lockdown && !armed.kill)
        share_out(a, vec3_load(torque.xyz), fmax(0, -(double)thrust.xyz[2]), out);
    struct actuator_motors m = {.timestamp = now_us, .timestamp_sample = torque.timestamp_sample};
    for (int i = 0; i < ROTORS_MAX; i++)
        m.control[i] = i < a->rotors && !(a->failed & 1u << i) ? (float)out[i] : NAN;
    PUBLISH(u, actuator_motors, &m);
}
