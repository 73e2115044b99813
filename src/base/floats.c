// floats.c - see floats.h. Registers are only written where they differ: reading one takes a few
// cycles, writing it several times that.
#include "base/floats.h"

#if defined __x86_64__

enum {
    MXCSR = 0x1f80,     // all masked, to nearest; neither FTZ nor DAZ
    MXCSR_FLAGS = 0x3f, // of exceptions that have been
    X87 = 0x37f         // all masked, to nearest, 64 bits
};

static uint32_t get_mxcsr(void)
{
    uint32_t value;
    __asm__ volatile("stmxcsr %0" : "=m"(value) : : "memory");
    return value;
}

static void set_mxcsr(uint32_t value)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(value) : "memory");
}

static uint16_t get_x87(void)
{
    uint16_t value;
    __asm__ volatile("fnstcw %0" : "=m"(value) : : "memory");
    return value;
}

static void set_x87(uint16_t value)
{
    __asm__ volatile("fldcw %0" : : "m"(value) : "memory");
}

void tac__floats_enter(tac__floats *found)
{
    found->mxcsr = get_mxcsr();
    found->x87 = get_x87();
    if ((found->mxcsr & ~(uint32_t)MXCSR_FLAGS) != MXCSR)
        set_mxcsr(MXCSR);
    if (found->x87 != X87) {
        __asm__ volatile("fnstenv %0" : "=m"(found->env) : : "memory");
        set_x87(X87);
    }
}

// x87 code may have raised exception flags since. Where the caller's traps are unmasked, a pending
// flag would trap at once, so the whole x87 environment is restored, flags included.
void tac__floats_leave(const tac__floats *found)
{
    if (get_mxcsr() != found->mxcsr)
        set_mxcsr(found->mxcsr);
    if (found->x87 != X87)
        __asm__ volatile("fldenv %0" : : "m"(found->env) : "memory");
    else if (get_x87() != X87)
        set_x87(X87);
}

bool tac__floats_kept(void)
{
    const uint32_t mxcsr = get_mxcsr();
    const uint16_t x87 = get_x87();
    if ((mxcsr & ~(uint32_t)MXCSR_FLAGS) == MXCSR && x87 == X87)
        return true;
    set_mxcsr(MXCSR);
    if (x87 != X87) {
        __asm__ volatile("fnclex" : : : "memory");
        set_x87(X87);
    }
    return false;
}

#elif defined __aarch64__

enum { FPCR = 0 }; // to nearest, no FZ or FZ16, NaNs propagate, nothing trapped

static uint64_t get_fpcr(void)
{
    uint64_t value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value) : : "memory");
    return value;
}

static void set_fpcr(uint64_t value)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(value) : "memory");
}

void tac__floats_enter(tac__floats *found)
{
    found->fpcr = get_fpcr();
    __asm__ volatile("mrs %0, fpsr" : "=r"(found->fpsr) : : "memory");
    if (found->fpcr != FPCR)
        set_fpcr(FPCR);
}

void tac__floats_leave(const tac__floats *found)
{
    __asm__ volatile("msr fpsr, %0" : : "r"(found->fpsr) : "memory");
    if (get_fpcr() != found->fpcr)
        set_fpcr(found->fpcr);
}

bool tac__floats_kept(void)
{
    if (get_fpcr() == FPCR)
        return true;
    set_fpcr(FPCR);
    return false;
}

#else

// C cannot ask whether traps are masked: they are masked anew each time. Flush to zero is unknown
// to <fenv.h>; where a machine has it, FE_DFL_ENV switches it off as far as the C library knows of
// it.
void tac__floats_enter(tac__floats *found)
{
    fegetenv(&found->env);
    fesetenv(FE_DFL_ENV);
}

void tac__floats_leave(const tac__floats *found)
{
    fesetenv(&found->env);
}

bool tac__floats_kept(void)
{
    const bool kept = fegetround() == FE_TONEAREST;
    fesetenv(FE_DFL_ENV);
    return kept;
}

#endif
