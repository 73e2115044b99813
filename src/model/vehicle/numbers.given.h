// numbers.given.h - what kernels read of a vehicle (kernels.h), from its parameters.
#include "model/vehicle/kernels.h"
#include "model/vehicle/params.h"

#include <stddef.h>
#include <string.h>

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
    memcpy((void *)n->warning, b->warning, sizeof n->warning);
}

static void set_contact(const tac__foot *f, contact_numbers *n)
{
    memcpy((void *)n->position_m, f->position_m, sizeof n->position_m);
    n->stiffness = f->stiffness;
    n->damping = f->damping;
    n->friction = f->friction;
    n->smoothing2 = f->smoothing2;
}

size_t tac__multirotor_numbers_of(const tac__multirotor *p, multirotor_numbers *n)
{
    memset((void *)n, 0, sizeof *n);
    n->per_mass = p->per_mass;
    memcpy((void *)n->inertia, p->vehicle.inertia, sizeof n->inertia);
    memcpy((void *)n->per_inertia, p->per_inertia, sizeof n->per_inertia);
    n->drag = p->drag;
    memcpy((void *)n->damping, p->damping, sizeof n->damping);
    n->g_m_s2 = R(p->world.g_m_s2);
    n->altitude_m = R(p->world.altitude_m);
    n->ground_m = R(p->world.ground_m);
    n->reach_m = p->reach_m;
    n->per_tau = p->vehicle.actuator.per_tau;
    n->pull = p->vehicle.actuator.pull;
    n->damping_s = p->vehicle.actuator.damping_s;
    n->rate = p->vehicle.actuator.rate;
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

#ifdef TAC_KIND_SYM
TAC_ENTRY tac_status tac__multirotor_numbers(tac_declare *d, const void *self, double *numbers)
{
    (void)self;
    tac__multirotor p;
    multirotor_numbers n;
    memset((void *)&p, 0, sizeof p);
    tac__multirotor_params(d, &p);
    const size_t bytes = tac__multirotor_numbers_of(&p, &n);
    memcpy(numbers, &n, bytes);
    return TAC_OK;
}
#endif
