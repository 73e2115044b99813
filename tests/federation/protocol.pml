/*
 * The federation protocol (docs/federation-proof.md) as a model for SPIN: a server and three
 * clients, channels in both directions that keep the order, instants 0 to END. Checked by
 * tests/federation/once/spin.sh, which says how many states that are.
 *
 * What SPIN may choose, so that a check covers all of it:
 *   - who runs when, where a stream of bytes is cut, how far the server is behind a client;
 *   - which client the server serves next, and whether it reads first or grants first;
 *   - whether a client takes frames in while it advances, or only when it waits;
 *   - with -DSEEDS=n: the seed of the links, which decides delays and losses, from 1 to n;
 *   - with -DWEAK: whether a client states all that it knows of its next sends, or less;
 *   - with -DTALK=i: whether client i sends NOTIFY_ADVANCE or PROMISE_NO_SEND, and when.
 * All channels are short, so that writers also meet full ones.
 *
 * What is checked, by assertions and by the search for states in which nothing can happen:
 *   LATE      no message comes to a client that has taken all messages of its delivery time;
 *   TRACE     at every instant every client takes the messages that it takes when one program runs
 *             all three, and at the end it is handed what is left there;
 *   GRANT     grants of a client increase;
 *   PROMISE   no client sends before its promise, nor before the E that the server has for it;
 *   ORDER     a client is handed messages in their order (delivery time, sender, sequence number);
 *   END       every run ends, with all clients at END + 1: only there is a state without a
 *             successor, and there is no cycle; FINISH comes to clients that wait.
 *
 * Options (-D): GLOBAL grants by the global rule instead of the rule by link; PLAN=0..2 is what the
 * clients do, below; BROKEN_... is a mistake that SPIN has to find, described where it is made.
 */

#define END 6
#define PAUSE 3 /* the server is first asked to advance to here, then to the end */
#define CLIENTS 3
#define INSTANTS (END + 1)
#define INF 15 /* later than all; also no message, no link */
#define BIT(n) (1 << (n))

/* --- what the clients do -----------------------------------------------------------------------
 *
 * A client takes part in these instants:
 *   OWN    it sends, whatever arrives;
 *   POLLS  it polls: it takes messages, and sends if it took any and REACTS. An engine polls at
 *          every instant; another program runs past its grant to its next poll.
 * DAWN: it sends what it has to send at 0 before it polls at 0. A message goes to all clients to
 * which its sender has a link; Ljk is the least delay of the link from j to k.
 */

#ifndef PLAN
#define PLAN 0
#endif
#define ALWAYS 255

#if PLAN == 0
/* All are linked: an engine with a period, one that only reacts, a program that polls rarely. */
#define OWN0 (BIT(0) | BIT(3) | BIT(6))
#define OWN1 0
#define OWN2 (BIT(0) | BIT(4))
#define POLLS0 ALWAYS
#define POLLS1 ALWAYS
#define POLLS2 (BIT(0) | BIT(2) | BIT(5))
#define REACTS(i) ((i) != 0)
#define DAWN(i) ((i) == 2)
#define L01 1
#define L02 3
#define L10 2
#define L12 1
#define L20 1
#define L21 2
#elif PLAN == 1
/* A ring of engines that react; one of them starts it. */
#define OWN0 BIT(0)
#define OWN1 BIT(4)
#define OWN2 0
#define POLLS0 ALWAYS
#define POLLS1 ALWAYS
#define POLLS2 ALWAYS
#define REACTS(i) true
#define DAWN(i) false
#define L01 1
#define L02 INF
#define L10 INF
#define L12 2
#define L20 1
#define L21 INF
#else
/* Nothing leads to client 0; two programs that poll rarely and tell each other. */
#define OWN0 (BIT(1) | BIT(5))
#define OWN1 (BIT(0) | BIT(4))
#define OWN2 BIT(2)
#define POLLS0 ALWAYS
#define POLLS1 (BIT(0) | BIT(3) | BIT(6))
#define POLLS2 (BIT(0) | BIT(2) | BIT(4))
#define REACTS(i) ((i) != 0)
#define DAWN(i) ((i) == 1)
#define L01 2
#define L02 1
#define L10 INF
#define L12 1
#define L20 INF
#define L21 2
#endif

/* Delay zero: each waits for the other's message of this very instant. */
#ifdef BROKEN_ZERO
#define LEAST(j, i) 0
#define LEAST_OF_ALL 0
#else
#define LEAST(j, i) ((j) == 0 -> ((i) == 1 -> L01 : L02) : \
    ((j) == 1 -> ((i) == 0 -> L10 : L12) : ((i) == 0 -> L20 : L21)))
#define LEAST_OF_ALL 1
#endif
#define LINKED(j, i) ((j) != (i) && LEAST(j, i) != INF)
#define OWN(i, t) (((i) == 0 -> OWN0 : ((i) == 1 -> OWN1 : OWN2)) & BIT(t))
#define POLLS(i, t) ((t) > END || ((i) == 0 -> POLLS0 : ((i) == 1 -> POLLS1 : POLLS2)) & BIT(t))

/* --- links -------------------------------------------------------------------------------------
 *
 * A client sends at most once at an instant, so sender and time identify a message. A set of
 * messages is a word with a bit for each. The law of a link, keyed by seed, sender, recipient and
 * message: one delay in four is longer than the least, one message in seven is lost.
 */

#define MESSAGE(sender, t) ((sender) * INSTANTS + (t))
#define MESSAGES (CLIENTS * INSTANTS)
#define SENDER(m) ((m) / INSTANTS)
#define SENT(m) ((m) % INSTANTS)

#ifdef SEEDS
byte seed
#else
#define seed 1
#endif
#define LONGER(j, i, t) ((3 * (t) + 5 * (j) + 7 * (i) + seed) % 4 == 0 -> 1 : 0)
#define LOST(j, i, t) (((t) + 2 * (j) + 3 * (i) + seed) % 7 == 0)
#define DELIVERY(m, i) (SENT(m) + LEAST(SENDER(m), i) + LONGER(SENDER(m), i, SENT(m)))

/* The first message of `set` in the order of client `i`, and its delivery time; INF: none. */
inline find_first(set, i, message, time) {
    time = INF;
    message = INF;
    s = 0;
    do
    :: s < MESSAGES ->
        if
        :: ((set) & BIT(s)) && DELIVERY(s, i) < time ->
            message = s;
            time = DELIVERY(s, i)
        :: else
        fi;
        s++
    :: else -> break
    od;
    s = 0
}

/* Those of `set` that are delivered to client `i` at `t` or before. */
inline find_due(set, i, t, due) {
    due = 0;
    s = 0;
    do
    :: s < MESSAGES ->
        if
        :: ((set) & BIT(s)) && DELIVERY(s, i) <= (t) -> due = due | BIT(s)
        :: else
        fi;
        s++
    :: else -> break
    od;
    s = 0
}

/* Puts message (j, t) into the queues of those to whom it goes. A macro: it gets an array. */
#define ROUTE(j, t, queues) \
    i = 0; \
    do \
    :: i < CLIENTS -> \
        if \
        :: LINKED(j, i) && !LOST(j, i, t) -> queues[i] = queues[i] | BIT(MESSAGE(j, t)) \
        :: else \
        fi; \
        i++ \
    :: else -> break \
    od; \
    i = 0

/* --- all in one program ------------------------------------------------------------------------
 *
 * What a client takes at an instant without a federation: instant after instant, all clients.
 */

int expected[MESSAGES] /* [client * INSTANTS + time]: a set */
int expected_rest[CLIENTS]

inline run_in_one() {
    d_step {
        byte t, j, i, s;
        int due;
        int queued[CLIENTS];
        t = 0;
        do
        :: t <= END ->
            j = 0;
            do
            :: j < CLIENTS ->
                if
                :: POLLS(j, t) -> find_due(queued[j], j, t, due)
                :: else
                fi;
                queued[j] = queued[j] & ~due;
                expected[j * INSTANTS + t] = due;
                if
                :: OWN(j, t) || (REACTS(j) && due) -> ROUTE(j, t, queued)
                :: else
                fi;
                due = 0;
                j++
            :: else -> break
            od;
            t++
        :: else -> break
        od;
        j = 0;
        do
        :: j < CLIENTS ->
            expected_rest[j] = queued[j];
            queued[j] = 0;
            j++
        :: else -> break
        od;
        t = 0;
        j = 0
    }
}

/* --- frames ---------------------------------------------------------------------------------- */

mtype = {
    SEND,              /* time */
    POLL_WAIT,         /* open time, promise, next own event, number of DELIVEREDs received */
    NOTIFY_ADVANCE,    /* the same, and the client goes on */
    PROMISE_NO_SEND,   /* promise */
    DELIVERED,         /* message */
    AUTHORIZE_ADVANCE, /* time */
    FINISH
}
chan up[CLIENTS] = [3] of {mtype, byte, byte, byte, byte}
chan down[CLIENTS] = [3] of {mtype, byte}

/* --- client ------------------------------------------------------------------------------------
 *
 * `clock` is the first instant that the client has not processed. All messages with a delivery time
 * before `taken_to` have been taken.
 */

/* promise, next: the most that client `me` can state before it processes `clock`. */
inline work_out_statement() {
    next = clock;
    do
    :: next > END ->
        next = INF;
        break
    :: next <= END && OWN(me, next) && !(next == 0 && dawned) -> break
    :: else -> next++
    od;
    promise = next;
    if
    :: REACTS(me) && clock <= END ->
        promise = clock;
#ifndef BROKEN_NEXT /* Forgets messages that were received and wait to be taken. */
        find_first(inbox, me, message, time);
        time = (time < clock -> clock : time);
        next = (time < next -> time : next)
#endif
    :: else
    fi;
    message = 0;
    time = 0
}

#define may_process (!waits && clock <= END && (!POLLS(me, clock) || granted > clock))
#define must_wait (!waits && POLLS(me, clock) && granted <= clock)
#define may_talk (me == TALK && \
    (clock > stated || (!REACTS(me) && stated <= END && !OWN(me, stated))))

inline take_in() {
    assert(DELIVERY(message, me) >= taken_to); /* LATE */
    inbox = inbox | BIT(message);
    received++;
    message = 0
}

proctype client(byte me) {
    byte clock, taken_to, granted, stated, received;
    int inbox, due;
    bool waits, dawned;
    byte promise, next, message, time, s; /* 0 between steps */

    if
    :: DAWN(me) && OWN(me, 0) ->
        up[me]!SEND, 0, 0, 0, 0;
        dawned = true
    :: else
    fi;
    do
    :: may_process ->
        d_step {
            if
            :: POLLS(me, clock) ->
#ifdef BROKEN_TAKE /* Takes what came with a grant, whatever its delivery time. */
                due = inbox;
#else
                find_due(inbox, me, clock, due);
#endif
                inbox = inbox & ~due;
                taken_to = clock + 1
            :: else
            fi;
            assert(due == expected[me * INSTANTS + clock]) /* TRACE */
        };
        atomic {
            if
            :: (OWN(me, clock) && !(clock == 0 && dawned)) || (REACTS(me) && due) ->
                assert(clock >= stated); /* PROMISE */
                due = 0;
                up[me]!SEND, clock, 0, 0, 0
            :: else -> due = 0
            fi;
            clock++
        }
    :: must_wait ->
        atomic {
            work_out_statement();
#ifdef WEAK
            if
            :: true
            :: clock <= END ->
                promise = clock;
                next = clock
            fi;
#endif
#ifdef BROKEN_COUNT /* Counts messages of which the next event that it states does not know. */
            do
            :: down[me]?DELIVERED, message -> take_in()
            :: true -> break
            od;
#endif
            stated = (promise > stated -> promise : stated);
            waits = true;
            up[me]!POLL_WAIT, clock, promise, next, received;
            promise = 0;
            next = 0
        }
    :: down[me]?DELIVERED, message -> d_step { take_in() }
    :: down[me]?AUTHORIZE_ADVANCE, time ->
        d_step {
            assert(time > granted); /* GRANT */
            granted = time;
            waits = waits && granted <= clock;
            time = 0
        }
    :: down[me]?FINISH, _ ->
        assert(waits); /* END */
        break
#ifdef TALK
    :: may_talk ->
        atomic {
            work_out_statement();
            if
            :: clock > stated ->
                stated = clock;
                up[me]!NOTIFY_ADVANCE, clock, clock, next, received
            :: promise > stated ->
                stated = promise;
                up[me]!PROMISE_NO_SEND, promise, 0, 0, 0
            fi;
            promise = 0;
            next = 0
        }
#endif
    od;
    assert(clock == END + 1 && inbox == expected_rest[me]) /* END, TRACE */
}

/* --- server ---------------------------------------------------------------------------------- */

byte reached[CLIENTS]      /* open time of the last POLL_WAIT */
byte P[CLIENTS]            /* promise */
byte N[CLIENTS]            /* next own event, unless something arrives */
byte E[CLIENTS]            /* before this the client does not send */
byte G[CLIENTS]            /* grant that could be given */
byte given[CLIENTS]        /* grant that was given */
byte acknowledged[CLIENTS] /* DELIVEREDs that the client knew when it stated N */
bool polled[CLIENTS]
int queue[CLIENTS]   /* not handed out */
int unknown[CLIENTS] /* handed out, but the client did not know them when it stated N */
byte handed[CLIENTS]   /* the last message that was handed out, as a place in the client's order */
byte cap = PAUSE

#define PLACE(m, i) (DELIVERY(m, i) * MESSAGES + (m) + 1)

inline work_out_bounds() {
    i = 0;
    do
    :: i < CLIENTS ->
#ifdef BROKEN_ACKNOWLEDGE /* Forgets messages that were handed out and not acknowledged. */
        find_first(queue[i], i, message, time);
#else
        find_first(queue[i] | unknown[i], i, message, time);
#endif
        e[i] = (N[i] < time -> N[i] : time);
        e[i] = (e[i] < P[i] -> P[i] : e[i]);
        i++
    :: else -> break
    od;
    /* Bellman and Ford: a way from client to client has at most CLIENTS - 1 links. */
#ifdef BROKEN_FUTURE /* Forgets messages that nobody has sent yet. */
    round = CLIENTS;
#else
    round = 1;
#endif
    do
    :: round < CLIENTS ->
        i = 0;
        do
        :: i < CLIENTS ->
            j = 0;
            do
            :: j < CLIENTS ->
                if
                :: LINKED(j, i) && e[j] + LEAST(j, i) < e[i] ->
                    e[i] = e[j] + LEAST(j, i);
                    e[i] = (e[i] < P[i] -> P[i] : e[i])
                :: else
                fi;
                j++
            :: else -> break
            od;
            i++
        :: else -> break
        od;
        round++
    :: else -> break
    od;
    i = 0;
    do
    :: i < CLIENTS ->
        G[i] = cap;
        j = 0;
        do
        :: j < CLIENTS ->
#ifdef GLOBAL
            time = e[j] + LEAST_OF_ALL;
#else
            time = (LINKED(j, i) -> e[j] + LEAST(j, i) : INF);
#endif
#ifdef BROKEN_BOUNDARY /* A grant that includes the boundary at its time. */
            time++;
#endif
            G[i] = (time < G[i] -> time : G[i]);
            j++
        :: else -> break
        od;
        i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < CLIENTS ->
        E[i] = e[i];
        e[i] = 0;
        i++
    :: else -> break
    od;
    i = 0;
    j = 0;
    round = 0;
    time = 0;
    message = 0
}

/* POLL_WAIT or NOTIFY_ADVANCE. */
inline note_statement(from) {
    if
    :: frame == POLL_WAIT ->
        polled[from] = true;
        reached[from] = a
#ifdef BROKEN_REACHED /* Takes a client that has said how far it is for one that waits there. */
    :: frame == NOTIFY_ADVANCE -> reached[from] = a
#endif
    :: else
    fi;
    b = (b > a -> b : a);
    P[from] = (b > P[from] -> b : P[from]);
    N[from] = c;
    do
    :: acknowledged[from] < d ->
        find_first(unknown[from], from, message, time);
        unknown[from] = unknown[from] & ~BIT(message);
        acknowledged[from]++
    :: else -> break
    od
}

#ifdef BROKEN_PRESSURE /* Reads nothing while a message waits that cannot be handed out yet. */
#define MAY_READ (!queue[0] && !queue[1] && !queue[2])
#else
#define MAY_READ true
#endif

inline hear(from) {
    atomic {
        MAY_READ && nempty(up[from]) ->
        up[from]?frame, a, b, c, d;
        d_step {
            if
            :: frame == SEND ->
                assert(!polled[from] || a >= E[from]); /* PROMISE */
                ROUTE(from, a, queue)
            :: frame == PROMISE_NO_SEND -> P[from] = (a > P[from] -> a : P[from])
            :: else -> note_statement(from)
            fi;
            work_out_bounds();
            frame = 0;
            a = 0;
            b = 0;
            c = 0;
            d = 0
        }
    }
}

/* The epsilon tick. Without it a client that has said nothing counts as one without events. */
#ifdef BROKEN_EPSILON
#define ALL_POLLED true
#else
#define ALL_POLLED (polled[0] && polled[1] && polled[2])
#endif

/* Hands out one message. */
inline hand_out(to) {
    assert(PLACE(message, to) > handed[to]); /* ORDER */
    handed[to] = PLACE(message, to);
    queue[to] = queue[to] & ~BIT(message);
    unknown[to] = unknown[to] | BIT(message);
    down[to]!DELIVERED, message
}

/* One frame to a client that can be granted more: a message before the grant, or the grant. */
inline serve(to) {
    d_step {
        ALL_POLLED && G[to] > given[to] && nfull(down[to]) ->
        find_first(queue[to], to, message, time);
        if
        :: time < G[to] -> hand_out(to)
        :: else ->
            given[to] = G[to];
            down[to]!AUTHORIZE_ADVANCE, G[to]
        fi;
        message = 0;
        time = 0
    }
}

#define ALL_REACHED (reached[0] >= cap && reached[1] >= cap && reached[2] >= cap)

proctype server() {
    mtype frame;
    byte a, b, c, d, i, j, s, round, message, time; /* 0 between steps */
    byte e[CLIENTS];

    do
    :: hear(0)
    :: hear(1)
    :: hear(2)
    :: serve(0)
    :: serve(1)
    :: serve(2)
    :: d_step { ALL_REACHED && cap <= END -> cap = END + 1; work_out_bounds() }
    :: ALL_REACHED && cap > END -> break
    od;
    do
    :: i < CLIENTS ->
        do
        :: d_step {
                queue[i] && nfull(down[i]) ->
                find_first(queue[i], i, message, time);
                hand_out(i);
                message = 0;
                time = 0
            }
        :: !queue[i] -> break
        od;
        down[i]!FINISH, 0;
        i++
    :: else -> break
    od
}

init {
#ifdef SEEDS
    select(seed : 1 .. SEEDS);
#endif
    run_in_one();
#ifdef BROKEN_EPSILON
    d_step {
        N[0] = INF;
        N[1] = INF;
        N[2] = INF
    };
#endif
    atomic {
        run server();
        run client(0);
        run client(1);
        run client(2)
    }
}
