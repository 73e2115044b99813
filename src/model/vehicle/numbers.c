// numbers.c - what kernels read of a vehicle (kernels.h), from its parameters.
#define TAC_KIND_F64
#include "model/vehicle/kernels.h"

#include <stddef.h>
#include <string.h>

void tac__multirotor_shape_of(const tac__multirotor *p, tac__multirotor_shape *s)
{
    memset(s, 0, sizeof *s); // shapes are compared as bytes
    s->rotors = p->vehicle.rotors;
    s->batteries = p->batteries;
    s->buses = p->buses;
    s->feet = p->feet;
    s->contacts = p->contacts;
    s->upright = p->upright;
    s->euler = p->euler;
    s->actuator = p->actuator.kind;
    s->gravity = p->world.gravity;
    for (int i = 0; i < s->rotors; i++)
        s->rotor_bus[i] = p->vehicle.rotor[i].bus;
    for (int b = 0; b < s->buses; b++)
        s->loaded[b] = p->bus[b].load_w > 0.0;
    for (int k = 0; k < s->batteries; k++) {
        const tac__battery *b = &p->battery[k];
        s->battery_bus[k] = b->bus;
        s->points[k] = b->points;
        memcpy(s->soc[k], b->soc, (size_t)b->points * sizeof *b->soc);
        memcpy(s->ocv_v[k], b->ocv_v, (size_t)b->points * sizeof *b->ocv_v);
    }
}

static void set_rotor(const tac__rotor *r, int i, rotor_pair *n)
{
    const tac__propeller *a = &r->propeller;
    const tac__motor *m = &r->motor;
    n->kt[i] = a->kt;
    n->kq[i] = a->kq;
    n->radius_m[i] = a->radius_m;
    n->inflow[i] = a->inflow;
    n->ke[i] = m->ke;
    n->per_ohm[i] = m->per_ohm;
    n->ke_per_ohm[i] = m->ke_per_ohm;
    n->per_efficiency[i] = m->per_efficiency;
    n->no_load_a[i] = m->no_load_a;
    n->max_a[i] = m->max_a;
    n->friction[i] = m->friction;
    n->inertia[i] = m->inertia;
    n->per_inertia[i] = m->per_inertia;
    n->direction[i] = r->direction;
    for (int c = 0; c < 3; c++) {
        n->arm[c][i] = r->arm[c];
        n->axis[c][i] = r->axis[c];
        n->spin[c][i] = r->spin[c];
    }
}

static void set_battery(const tac__battery *b, battery_numbers *n)
{
    n->r0_ohm = b->r0_ohm;
    n->floor_v = b->floor_v;
    n->weight = b->weight;
    n->per_c1 = b->per_c1;
    n->per_tau = b->per_tau;
    n->per_capacity = b->per_capacity;
    memcpy(n->warning, b->warning, sizeof n->warning);
}

static void set_contact(const tac__foot *f, contact_numbers *n)
{
    memcpy(n->position_m, f->position_m, sizeof n->position_m);
    n->stiffness = f->stiffness;
    n->damping = f->damping;
    n->friction = f->friction;
    n->smoothing2 = f->smoothing2;
}

size_t tac__multirotor_numbers_of(const tac__multirotor *p, multirotor_numbers *n)
{
    memset(n, 0, sizeof *n);
    n->per_mass = p->per_mass;
    memcpy(n->inertia, p->vehicle.inertia, sizeof n->inertia);
    memcpy(n->per_inertia, p->per_inertia, sizeof n->per_inertia);
    n->drag = p->drag;
    memcpy(n->damping, p->damping, sizeof n->damping);
    n->g_m_s2 = p->world.g_m_s2;
    n->altitude_m = p->world.altitude_m;
    n->ground_m = p->world.ground_m;
    n->reach_m = p->reach_m;
    n->per_tau = p->actuator.per_tau;
    n->pull = p->actuator.pull;
    n->damping_s = p->actuator.damping_s;
    n->rate = p->actuator.rate;
    for (int i = 0; i < p->vehicle.rotors; i++)
        set_rotor(&p->vehicle.rotor[i], i % 2, &n->pair[i / 2]);
    for (int b = 0; b < p->buses; b++)
        n->load_w[b] = p->bus[b].load_w;
    for (int k = 0; k < p->batteries; k++)
        set_battery(&p->battery[k], &n->battery[k]);
    for (int i = 0; i < p->contacts; i++)
        set_contact(&p->foot[i], &n->contact[i]);
    return offsetof(multirotor_numbers, contact) + (size_t)p->contacts * sizeof *n->contact;
}
