#define TAC_KIND_DUAL
#include "math/sample_model.h"
