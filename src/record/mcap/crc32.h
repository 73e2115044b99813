// crc32.h - the CRC of Ethernet, zip and MCAP: polynomial 0x04c11db7, reflected.
#ifndef TAC_RECORD_MCAP_CRC32_H
#define TAC_RECORD_MCAP_CRC32_H

#include <stddef.h>
#include <stdint.h>

// Of `bytes` behind what gave `crc`; 0 to begin with.
uint32_t tac__crc32(uint32_t crc, const void *bytes, size_t size);

// The same in plain C, whatever the machine has. For tests and benchmarks.
uint32_t tac__crc32_plain(uint32_t crc, const void *bytes, size_t size);

#endif
