// Sleeping and waking through shared memory (src/federation/ring.c, shm.c, poller.c): a writer hands
// LAST bytes to a reader through a ring of SIZE. Each side sleeps when it can do nothing, and the
// other one rings its bell. once/spin.sh has SPIN look at every state: nobody sleeps for ever, unless
// it has done its work, and nothing is lost or seen twice.
//
// Memory is that of processors that keep what they store to themselves for a while (x86 and all that
// are weaker in this respect): a store waits in a buffer of its side until a fence, or until the
// processor writes it at some later moment. Loads see the own buffer first. Acquire and release keep
// bytes before their counter; a byte here is its counter.
//
// A bell counts: a ring before the wait is not lost (eventfd, edge-triggered in epoll). With DIES the
// writer may be killed at any moment; then its socket closes, which wakes the reader, too.
//
// BROKEN_FENCE_SLEEPER  a side that goes to sleep looks once more without a barrier before it
// BROKEN_FENCE_WAKER    a side asks whether the other sleeps without a barrier before it
// BROKEN_LOOK           a side does not look once more after it has said that it sleeps
// BROKEN_BELL           a bell that rings before the wait is lost
// BROKEN_DEATH          the end of the writer wakes nobody

#ifndef SIZE
#define SIZE 4
#endif
#ifndef LAST
#define LAST 7
#endif
#define PART 2 /* the writer waits until so much is free: a quarter, of a small ring */

#define WRITER 0
#define READER 1

// What all see: bytes written and taken, who sleeps; and what waits in the buffer of its owner.
byte put, taken;
bool sleeps[2];
byte held_put, held_taken;
bool holds_put, holds_taken;
// `sleeps` is stored by both sides: 1 by the sleeper, 0 by whoever wakes it.
bool held_sleeps[4], holds_sleeps[4]; // [2 * owner of the buffer + whose flag]
byte bell[2];
bool dead, finished;

#define FLUSH_PUT    if :: holds_put -> put = held_put; holds_put = false :: else fi
#define FLUSH_TAKEN  if :: holds_taken -> taken = held_taken; holds_taken = false :: else fi
#define FLUSH_FLAG(o, w) \
    if :: holds_sleeps[2 * o + w] -> sleeps[w] = held_sleeps[2 * o + w]; \
          holds_sleeps[2 * o + w] = false \
       :: else fi

// Stores leave a buffer in their order: the counter of a side before its flags, as each side stores.
inline fence(me)
{
    atomic {
        if
        :: me == WRITER -> FLUSH_PUT
        :: else -> FLUSH_TAKEN
        fi;
        FLUSH_FLAG(me, WRITER);
        FLUSH_FLAG(me, READER)
    }
}

inline store_flag(me, whose, value)
{
    atomic {
        held_sleeps[2 * me + whose] = value;
        holds_sleeps[2 * me + whose] = true
    }
}

#define SEES_FLAG(me, whose) \
    (holds_sleeps[2 * me + whose] -> held_sleeps[2 * me + whose] : sleeps[whose])

// After a change: does the other side sleep? Then ring, once.
inline wake(me, whom)
{
#ifndef BROKEN_FENCE_WAKER
    fence(me);
#endif
    if
    :: SEES_FLAG(me, whom) ->
        store_flag(me, whom, false);
#ifdef BROKEN_BELL
        fence(me);
        atomic { if :: waits[whom] -> bell[whom] = 1 :: else fi }
#else
        // A call of the system is a barrier.
        fence(me);
        bell[whom] = 1
#endif
    :: else
    fi
}

bool waits[2];

// Sleep, unless there is something to do by now.
#define SLEEP(me, ready) \
    store_flag(me, me, true); \
    SLEEPER_FENCE(me); \
    if \
    :: NOT_AGAIN(ready) -> \
        fence(me); \
        atomic { waits[me] = true }; \
        atomic { (bell[me] || ENDED(me)) -> bell[me] = 0; waits[me] = false } \
    :: else \
    fi; \
    store_flag(me, me, false)

#ifdef BROKEN_FENCE_SLEEPER
#define SLEEPER_FENCE(me) skip
#else
#define SLEEPER_FENCE(me) fence(me)
#endif
#ifdef BROKEN_LOOK
#define NOT_AGAIN(ready) true
#else
#define NOT_AGAIN(ready) !(ready)
#endif
#ifdef BROKEN_DEATH
#define ENDED(me) false
#else
#define ENDED(me) (me == READER && dead)
#endif

active proctype Writer()
{
    byte done; // bytes written
    do
    :: done == LAST -> break
#ifdef DIES
    :: dead = true; goto ended
#endif
    :: done < LAST ->
        if
        :: done - taken < SIZE ->
            atomic { held_put = done + 1; holds_put = true; done++ };
            wake(WRITER, READER)
        :: else ->
            SLEEP(WRITER, SIZE - (done - taken) >= PART)
        fi
    od;
    fence(WRITER);
    finished = true;
ended:
    // What a killed process has stored is seen all the same.
    atomic { FLUSH_PUT; FLUSH_FLAG(WRITER, WRITER); FLUSH_FLAG(WRITER, READER) }
}

active proctype Reader()
{
    byte done, seen;
    bool gone;
    do
    :: done == LAST -> break
    :: done < LAST ->
        gone = dead; // as known before it was found that nothing is left
        seen = put;
        assert(seen >= done && seen - done <= SIZE);
        if
        :: seen > done ->
            atomic { done++; held_taken = done; holds_taken = true };
            if :: SIZE - (seen - done) >= PART -> wake(READER, WRITER) :: else fi
        :: seen == done && gone -> break
        :: seen == done && !gone ->
            SLEEP(READER, put > done)
        fi
    od;
    fence(READER);
    assert(done == LAST || dead)
}

// A processor writes what waits in a buffer at some moment.
active proctype Memory()
{
end_memory:
    do
    :: atomic { holds_put -> FLUSH_PUT }
    :: atomic { holds_taken -> FLUSH_TAKEN }
    :: atomic { holds_sleeps[0] && !holds_put -> FLUSH_FLAG(WRITER, WRITER) }
    :: atomic { holds_sleeps[1] && !holds_put -> FLUSH_FLAG(WRITER, READER) }
    :: atomic { holds_sleeps[2] && !holds_taken -> FLUSH_FLAG(READER, WRITER) }
    :: atomic { holds_sleeps[3] && !holds_taken -> FLUSH_FLAG(READER, READER) }
    od
}
