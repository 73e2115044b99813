#define TAC_KIND_PACK8
#include "sample_model.h"
