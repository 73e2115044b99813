#define TAC_KIND_F64
#include "model/world_entries.h"
