// vec.h - vectors and quaternions in doubles, and the few elementary functions that flying needs:
// own ones, since those of libm differ between machines in the last bit.
#ifndef PX4_STANDIN_VEC_H
#define PX4_STANDIN_VEC_H

#include <math.h>

#define PI     3.14159265358979323846
#define DEGREE (PI / 180)

typedef struct vec3 {
    double x, y, z;
} vec3;

typedef struct quat {
    double w, x, y, z;
} quat;

static inline vec3 vec3_load(const float *f)
{
    return (vec3){(double)f[0], (double)f[1], (double)f[2]};
}

static inline void vec3_store(float *f, vec3 v)
{
    f[0] = (float)v.x;
    f[1] = (float)v.y;
    f[2] = (float)v.z;
}

static inline quat quat_load(const float *f)
{
    return (quat){(double)f[0], (double)f[1], (double)f[2], (double)f[3]};
}

static inline void quat_store(float *f, quat q)
{
    f[0] = (float)q.w;
    f[1] = (float)q.x;
    f[2] = (float)q.y;
    f[3] = (float)q.z;
}

static inline vec3 vec3_add(vec3 a, vec3 b)
{
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec3 vec3_sub(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 vec3_scale(double s, vec3 a)
{
    return (vec3){s * a.x, s * a.y, s * a.z};
}

static inline double vec3_norm(vec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static inline vec3 vec3_cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double level(vec3 a) // length of the horizontal part
{
    return sqrt(a.x * a.x + a.y * a.y);
}

static inline double clamp(double v, double least, double most)
{
    return v < least ? least : v > most ? most : v;
}

static inline quat quat_multiply(quat a, quat b)
{
    return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                  a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline quat quat_conjugate(quat q)
{
    return (quat){q.w, -q.x, -q.y, -q.z};
}

static inline double wrap(double angle) // to within half a turn
{
    return angle - 2 * PI * floor((angle + PI) / (2 * PI));
}

// Series in Horner's form on a quarter of the range and doubled twice; good to 1e-14.
static inline void sine_cosine(double angle, double *sine, double *cosine)
{
    const double x = wrap(angle) / 4, x2 = x * x;
    double s = 1, c = 1;
    for (int n = 18; n >= 2; n -= 2) {
        s = 1 - x2 / (n * (n + 1)) * s;
        c = 1 - x2 / ((n - 1) * n) * c;
    }
    s *= x;
    for (int i = 0; i < 2; i++) {
        const double twice = 2 * s * c;
        c = 1 - 2 * s * s;
        s = twice;
    }
    *sine = s;
    *cosine = c;
}

// Halved three times by tan(a/2) = t / (1 + sqrt(1 + t^2)), then the series.
static inline double arctan2(double y, double x)
{
    double r = sqrt(x * x + y * y);
    if (r == 0)
        return 0;
    double t = x >= 0 ? y / (r + x) : y / (r - x); // of half the angle, from the nearer x axis
    for (int i = 0; i < 2; i++)
        t = t / (1 + sqrt(1 + t * t));
    double sum = 0;
    for (int n = 25; n >= 1; n -= 2)
        sum = 1.0 / n - t * t * sum;
    const double angle = 8 * t * sum;
    return x >= 0 ? angle : (y >= 0 ? PI : -PI) - angle;
}

static inline double heading(quat q)
{
    return arctan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
}

#endif
