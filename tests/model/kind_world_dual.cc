#define TAC_KIND_DUAL
#include "model/world_entries.h"
