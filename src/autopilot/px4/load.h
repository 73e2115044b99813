// load.h - messages from a folder of .msg files: PX4's own, of the version that is flown.
//
// Opening reads every file of the folder, and of `versioned` in it, but parses none: a message is
// parsed when it is asked for, with the messages nested in it. So a file that is not understood
// does no harm unless it is used. All memory comes from the arena.
#ifndef TAC_AUTOPILOT_PX4_LOAD_H
#define TAC_AUTOPILOT_PX4_LOAD_H

#include "autopilot/px4/message.h"

enum { TAC__UORB_FILES_MAX = 4096 };

typedef struct tac__uorb_folder tac__uorb_folder;

tac_status tac__uorb_folder_open(tac__arena *arena, const char *path, tac__uorb_folder **folder,
                                 tac_error *err);

// The message of a topic. Errors in a file have its place.
tac_status tac__uorb_folder_message(tac__uorb_folder *folder, const char *topic,
                                    const tac__uorb_message **message, tac_error *err);

// --- the folder or the built-in messages --------------------------------------------------------

// True if the folder has a file for the topic, or the topic is built in. `folder` may be NULL.
bool tac__uorb_knows(const tac__uorb_folder *folder, const char *topic);
// The known topic with the nearest name; NULL: none is near.
const char *tac__uorb_nearest(const tac__uorb_folder *folder, const char *topic);
// The message of a topic: from the folder if it has a file for the topic, else built in.
tac_status tac__uorb_message_of(tac__arena *arena, tac__uorb_folder *folder, const char *topic,
                                const tac__uorb_message **message, tac_error *err);

// --- without files ------------------------------------------------------------------------------

// An empty folder, and a file for it: `path` is what errors call it, `type` its name without .msg.
// All three texts are copied.
tac_status tac__uorb_folder_create(tac__arena *arena, const char *path, tac__uorb_folder **folder,
                                   tac_error *err);
tac_status tac__uorb_folder_add(tac__uorb_folder *folder, const char *type, const char *path,
                                const char *bytes, size_t size, tac_error *err);

#endif
