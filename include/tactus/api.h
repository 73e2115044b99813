// api.h - what is exported from libtactus, and the version of what is exported.
#ifndef TACTUS_API_H
#define TACTUS_API_H

#ifdef __cplusplus
#define TAC_BEGIN_DECLS extern "C" {
#define TAC_END_DECLS   }
#else
#define TAC_BEGIN_DECLS
#define TAC_END_DECLS
#endif

#define TAC_API                 __attribute__((visibility("default")))
#define TAC_MUST_CHECK          __attribute__((warn_unused_result))
#define TAC_PRINTF(text, first) __attribute__((format(printf, text, first)))

#define TAC_VERSION_MAJOR 0
#define TAC_VERSION_MINOR 1
#define TAC_VERSION_PATCH 0
#define TAC_VERSION       "0.1.0"

TAC_BEGIN_DECLS

// The version of the library that was loaded, as "0.1.0"; TAC_VERSION is that of the headers.
TAC_API const char *tac_version(void);

TAC_END_DECLS
#endif
