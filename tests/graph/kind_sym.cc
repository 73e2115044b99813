#define TAC_KIND_SYM
#include "math/sample_model.h"
