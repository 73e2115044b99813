#define TAC_KIND_DUAL
#include "sample_model.h"
