#define TAC_KIND_PACK4
#include "sample_model.h"
