#define TAC_KIND_SYM
#include "sample_model.h"
