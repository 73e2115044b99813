#define TAC_KIND_F64
#include "sample_model.h"
