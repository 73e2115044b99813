// given.h - the type of a parameter while its component is declared.
//
// A component reads its parameters and computes from them the numbers that its kernels work with.
// Units NAME.given.h do that, and are compiled twice: as numbers for `declare`, where a given is a
// double, and as symbols for `numbers` of the component type (tac_component_type), where a given is
// a real of kind sym, so that a graph can have parameters as inputs. A struct of givens is declared
// once, and has one layout in units of symbols and another in all others. Functions with such
// arguments are C++ in units of symbols, and so have other names there.
#ifndef TAC_MODEL_GIVEN_H
#define TAC_MODEL_GIVEN_H

#ifdef TAC_KIND_SYM
#include "math/real.h"
typedef real given_real;
#else
typedef double given_real;
#endif

#endif
