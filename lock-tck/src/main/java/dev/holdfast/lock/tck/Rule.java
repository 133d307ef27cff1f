package dev.holdfast.lock.tck;

/**
 * The rules that a store is held to, and what to look for when a test says that one is broken. The first number is the
 * promise: P1 one holder at a time, P2 rising tokens, P3 loss told in time, P4 asking twice does no harm, P5 who gave up
 * never owns, P6 silence is not an answer, P7 who came first is served first, P8 who waits is told, P9 nothing grows, P10
 * renewal never resurrects. The rules I are about who looks: it sees what is, and disturbs nobody.
 */
public enum Rule {
    P1_1(
            "a held lock refuses every other id",
            "the check for a holder and the grant must be one atomic step: a condition in the UPDATE, a row lock, a script"),
    P1_2(
            "names are compared exactly, code point by code point",
            "a collation that folds case or accents, a CHAR column that ignores trailing spaces, normalization, a column or"
                    + " key shorter than 255 code points, UTF-8 limited to three bytes, LIKE or glob instead of equality"),
    P1_3(
            "every allowed name can be used like any other",
            "names put into SQL, keys, patterns or channels as text instead of as a parameter or escaped"),
    P1_4(
            "names of different namespaces are different locks",
            "the namespace must be part of the key in every statement; joined texts need a separator that neither part can"
                    + " contain"),
    P1_5(
            "every store opened on the same configuration sees the same locks",
            "state kept in the store object, such as a cache of what is held; a file or database opened anew for each store"),
    P1_6(
            "of many that ask at once exactly one is granted, the others are told busy",
            "read-then-write without a lock; the race of first inserts for a name never used before; errors for a duplicate"
                    + " key or a serialization failure that should be tried again"),
    P1_7(
            "a grant lasts at least as long as was answered",
            "expiry by another clock than the store's, seconds or milliseconds rounded down, 'now' read before a wait for a"
                    + " row lock"),
    P1_8(
            "a lease that nobody renews ends by itself",
            "the expiry must be part of the condition under which the lock is free; nobody else will ever release it"),
    P1_9(
            "'remaining' is what remains of the lease, also when the same id asks again",
            "answer the time from now to the stored end, never the length that the repeated step asks for"),
    P1_10(
            "who the owner says it is plays no part, whatever it says",
            "only the id may be compared; the owner is text of any length for people, and several holders share one: keep its"
                    + " beginning, and refuse nothing"),
    P1_11(
            "a minimum hold keeps the lock busy until grant plus minimum, though it was released",
            "a release with 'keep' turns the rest of the minimum into an expiry instead of freeing the lock"),
    P1_12(
            "a minimum hold ends by itself, and one that is over already keeps nothing",
            "it counts from the grant, not from the release; nobody comes back to end it"),
    P1_13(
            "after a release with a minimum hold its id is over",
            "the kept lock must not be found by its former id: neither renewed, nor granted again, nor freed by a second"
                    + " release"),
    P1_14(
            "threads that use a lock through Locks never overlap",
            "whatever P1.1, P1.5 and P1.6 say; they pass and this fails: look at how the store behaves under load"),
    P1_15(
            "processes that use a lock never overlap",
            "state kept inside the process; a store that processes do not share must say so in sharedBetweenProcesses()"),
    P1_16(
            "the lock of a killed process stays busy for its lease and becomes free after it",
            "locks tied to a connection or a process end too early; locks without an expiry never end"),
    P1_17(
            "a grant survives a restart of the store",
            "a grant must be durable before it is answered; tables or keys that are kept in memory only"),
    P1_18(
            "closing a store leaves its leases, and a closed store answers nothing",
            "a close() that frees what was granted, or that closes what other stores of the process use as well"),
    P1_19(
            "a refused caller is told to ask again when the lease is over at the latest",
            "what Busy says must not be longer than what is left of the lease, or of the minimum hold"),
    P1_20(
            "durations of fifty years are like any other",
            "a column, a number or a date that overflows: the end of a lease is now plus DurationText.LONGEST at most"),

    P2_1(
            "the token rises from grant to grant, across releases",
            "the last token must outlive the release; a clock alone may give two grants the same number"),
    P2_2("the token rises when a lease has expired", "an expiry that deletes the counter together with the holder"),
    P2_3(
            "the token rises when the store is closed and opened again",
            "a counter kept in the process, or reset when the store is opened"),
    P2_4("the token rises across a restart of the store", "a counter that is not durable when the grant is answered"),
    P2_5(
            "the token rises though idle names were pruned",
            "pruning a name must first raise a floor for the whole store to that name's last token, in the same"
                    + " transaction"),
    P2_6(
            "the token rises when the clock is behind the last token",
            "a token taken from the clock alone; take the greatest of last + 1, floor and clock"),
    P2_7("the token rises when the store's clock steps back", "as for P2.6: a token taken from the clock alone"),
    P2_8(
            "the token is greater than 'above', and greater than the last one",
            "both floors count: the greater of the two; 'above' may be far ahead of the clock"),
    P2_9(
            "the token stays the same for as long as the grant lasts",
            "a repeated Acquire or a Renew that draws a new number"),
    P2_10(
            "no token beyond 2^53 - 1 is ever granted",
            "a floor of 2^53 - 1 or more leaves no number, also where one more overflows: answer Unavailable and change"
                    + " nothing"),
    P2_11(
            "the fencing token of a Lease rises across stores",
            "as for P2.1; the store's token is the greater part of it"),

    P3_1(
            "when another holder is granted, the lease before it is over for its own holder",
            "a 'remaining' that claims more than the store keeps; a renewal that is granted though the lock has another"
                    + " holder"),
    P3_2(
            "a lease that was ended at the store is lost for its holder, told once",
            "a renewal of an id that holds nothing must be answered Gone: Granted would hide the loss for ever"),
    P3_3(
            "while the store is unreachable a lease is unconfirmed, then lost, told once and in time",
            "a store that answers from memory when it cannot ask, or whose call hangs longer than its timeout"),

    P4_1(
            "asking again with the same id is the same grant",
            "a repeated Acquire must find its own id and not be busy for itself"),
    P4_2(
            "a release frees nothing but what its own id holds",
            "DELETE or DEL by name alone: compare the id in the same atomic step"),
    P4_3(
            "'wasHeld' is true exactly when this release ended the lease",
            "answer from the number of rows or keys that this very step changed"),
    P4_4(
            "a doubtful release keeps its id from being granted later",
            "with 'remember' the id must be written down even if nothing was held: its Acquire may still be on its way"),
    P4_5(
            "several released ids of a name are remembered, and harm nobody else",
            "one slot for the last released id is not enough; a remembered id must not make the lock busy"),
    P4_6(
            "an expired id never gets its old grant back",
            "asked again it is Gone, or (if it was forgotten) gets a new, greater token"),
    P4_7(
            "steps repeated, late and out of order give what the contract says",
            "the message lists the latest steps and the seed; compare each answer with the javadoc of its step"),
    P4_8(
            "a batch is answered in the order of its steps",
            "answers sorted or grouped by name, kind or shard and not put back"),
    P4_9(
            "steps of a batch on one name are carried out in their order",
            "a batch that is reordered to avoid deadlocks must keep the order within a name"),
    P4_10(
            "a step that is refused or cannot be carried out harms no other step of its batch",
            "one transaction that rolls back as a whole, or a pipeline that stops at the first error"),
    P4_11("a batch may be large", "limits on parameters or message size: split the batch inside the store"),
    P4_12(
            "ids are compared in full, all 128 bits of them",
            "one half of the id in a column or key, or both as one number of 64 bits"),
    P4_13(
            "a released id is remembered for as long as was asked, whatever comes later",
            "a fixed time for all ids; a later release that ends it or makes it shorter; keep the later of the two ends"),

    P5_1(
            "an attempt that was given up is not granted when it arrives late",
            "as for P4.4; here the lock is held by another when the release comes, and free when the late Acquire comes"),
    P5_2("a caller that timed out does not own the lock later", "as for P5.1: its release is what withdraws it"),
    P5_3(
            "a caller that was interrupted does not own the lock later",
            "as for P5.1; a store must also survive an interrupted thread"),
    P5_4(
            "a waiter that withdrew is never granted afterwards, also if the free lock was kept for it",
            "with 'remember' the id must be written down, whatever place it had; look at the remembered ids before the"
                    + " queue"),
    P5_5(
            "an interrupted thread stays interrupted, and the store goes on",
            "Thread.interrupted() or a caught InterruptedException without Thread.currentThread().interrupt(); a channel or"
                    + " connection that an interrupt closes, and that is not opened anew"),

    P6_1(
            "an unreachable store is unavailable: never busy, gone, released or granted",
            "a catch block that turns an error into an answer; answer Unavailable with the cause, or throw"),
    P6_2(
            "a silent store is unavailable when the timeout is over",
            "socket, statement and pool timeouts must follow the call's timeout"),
    P6_3(
            "when the store is back all goes on by itself, with what was held",
            "broken connections kept in a pool; state lost or reset on reconnection"),
    P6_4(
            "Locks say LockUnavailableException while the store is unreachable",
            "as for P6.1: an outage must not look like a busy lock"),
    P6_5(
            "opening an unreachable store is a LockUnavailableException",
            "open must reach the store once, and say so if it cannot, within the call timeout or so"),

    P7_1(
            "waiters are granted in the order in which they came",
            "a queue sorted by id, by a clock of the clients or by a clock too coarse, instead of by arrival at the store;"
                    + " whoever asks next is granted, whosever turn it is"),
    P7_2(
            "a free lock that somebody waits for is refused to a newcomer, whether it queues or not",
            "the way that takes a free lock at once must look at the queue first, also for who does not queue"),
    P7_3("asking again keeps the place", "an upsert that writes the time of arrival anew; delete and insert"),
    P7_4(
            "stores opened apart share one queue",
            "a queue kept in the store object; a place known only to the connection that asked for it"),
    P7_5(
            "a waiter that withdrew holds up nobody, and has no place",
            "a release must delete the place in the queue even if the id holds nothing; who asks after a release that is"
                    + " to be remembered is Gone, and does not queue"),
    P7_6(
            "a free lock is kept for the first in the queue for its reservation",
            "a reservation shorter than QueueTimes.RESERVATION, or for whoever waits; asking in vain must not end it"),
    P7_7(
            "a first in the queue that never asks again is passed over when its reservation is over, not before",
            "the next Acquire of another id must drop it once the lock has been free for QueueTimes.RESERVATION; waiting for"
                    + " its place to run out takes much longer"),
    P7_8(
            "when a lease ends by itself the first in the queue gets the lock, not a newcomer",
            "the way that takes an expired lock must look at the queue, as the one that takes a released lock does"),
    P7_9("each name has a queue of its own", "the name must be part of every condition on the queue"),
    P7_10(
            "the steps of a batch queue in their order",
            "one time of arrival for a whole batch; a batch sorted by id; a bulk insert in no certain order"),
    P7_11(
            "a waiter is told to ask again after 5 s at the latest, and one of the three after the first after a reservation",
            "what Waiting says is at most what QueueTimes.askAgain says; who asks too rarely loses its place, or waits for a"
                    + " dead one before it"),
    P7_12(
            "a killed process that is the first in the queue is passed over when its reservation is over",
            "as for P7.7; no place at all for a waiter in another process"),
    P7_13(
            "callers that wait through Locks are served in the order in which they came",
            "whatever P7.1, P7.3, P7.4 and P7.6 say; they pass and this fails: look at what the store does under load"),
    P7_14("tryAcquire() does not overtake a waiter", "as for P7.2: a waiter for whom the free lock is kept"),
    P7_15(
            "each that becomes the first has a reservation of its own, from when the lock is free",
            "one reservation for all, counted from the release: it begins anew when the first is passed over or leaves, and not"
                    + " before a minimum hold is over"),
    P7_16(
            "a place lasts for 15 s since its waiter last asked, and is then dropped without a reservation",
            "an Acquire of a waiter must write down when it came; whoever has not asked for QueueTimes.TICKET is no first"),

    P8_1(
            "a release signals the waiter whose turn it is",
            "signals that reach only the store that was asked; a transaction that notifies but is not committed; a channel"
                    + " per name that nobody listens to"),
    P8_2(
            "when the first in the queue withdraws or is passed over, the next is signalled",
            "every step that makes another waiter the first must signal, not only the release of a lease: of a free lock,"
                    + " so that it takes it, of a held one, so that it learns when to ask again"),
    P8_3(
            "signals begin with ANY, and miss no release after it",
            "ANY must come when the subscription is in effect, not when it was sent"),
    P8_4(
            "after a gap ANY comes again, and signals go on",
            "a subscription connection that broke and was not made anew; ANY is what its waiters learn of the gap by"),
    P8_5(
            "a closed subscription hears nothing, and the store can be subscribed anew",
            "closing must take the consumer out; it must not end the subscription of others, or the store's only one"),
    P8_6(
            "a waiter asks seldom while the lock is held",
            "a store that signals says in Waiting what QueueTimes.askAgain says, not when to poll; a signal is for whose turn"
                    + " it is, not for everybody"),
    P8_7(
            "a signal brings the waiter in time",
            "as for P8.1: the signal must come when the step is carried out, well before the reservation is over"),
    P8_8(
            "a waiter whose signals are lost gets the lock all the same",
            "as for P7.11: what Waiting says must not rely on a signal"),
    P8_9(
            "a release with a minimum hold signals the first in the queue as well",
            "the lock is not free yet, but sooner than the first was told: it has to ask, and to learn when"),
    P8_10(
            "a subscription that is made while the store is out of reach begins when it is back",
            "signals() neither waits for the store nor throws because it is out of reach; ANY comes when it is in effect"),

    P9_1(
            "hundreds of steps, granted and refused, use up nothing",
            "connections, statements or cursors that are not given back, most often on the way of the refused step"),
    P9_2("nothing is kept about names that are not in use", "rows or keys without an expiry that nobody prunes"),
    P9_3(
            "waiters that died leave nothing behind",
            "places in a queue without an expiry, of names that nobody asks for any more"),
    P9_4(
            "pruning drops nothing that is in use",
            "what is held, kept, remembered, waited for or promised must not be dropped with what is idle"),

    P10_1("a renewal makes the lease last from now on", "the new end must be written, and counts from the renewal"),
    P10_2(
            "a renewal never brings back a lease that is over",
            "the condition of the update must hold the expiry: 'id is mine and not expired'"),
    P10_3("a renewal after the release changes nothing", "an upsert in place of an update: a renewal never inserts"),
    P10_4("a renewal extends nothing but what its own id holds", "the id must be part of the condition"),
    P10_5(
            "a held Lease is renewed for as long as it is held, and not after its release",
            "as for P10.1 and P10.3; a renewal that arrives after the release must be Gone"),
    P10_6(
            "a renewal never shortens a lease",
            "keep the later of the two ends: the answer to the renewal may be lost, and then its holder believes in the"
                    + " later one"),

    I1(
            "a held lock is shown with who holds it, its token, since when and until when",
            "show what the row says: the id and owner of the grant, when it was granted, and the end that the last renewal"
                    + " set"),
    I2(
            "waiters are shown with what they said of themselves, first come first",
            "an order of their own in which they are read; a repetition keeps the place"),
    I3(
            "what is over is not shown",
            "compare with the store's clock: a lease that expired is over though nobody has removed its row; what is"
                    + " remembered about ids is nobody's business"),
    I4(
            "the locks of the namespace whose names begin with the prefix are shown, by code points",
            "LIKE or glob with a prefix that is not escaped; a collation; names ordered by UTF-16 units, which differs beyond"
                    + " U+FFFF"),
    I5(
            "looking holds up nobody, also while the answer is read slowly",
            "row locks in the query, a read transaction that writers wait for, the one connection that steps need as well"),
    I6(
            "the id that is shown is the one that a release needs, and ends no other lease",
            "show the id of the grant itself"),
    I7(
            "a lock that is kept by its minimum hold is shown as kept until then, and held by nobody",
            "a release with 'keep' ends the lease: show no holder, and the end of the minimum"),
    I8(
            "what cannot be seen is unavailable, not empty",
            "a catch block that turns an error into no locks; throw LockUnavailableException, also while the stream is read");

    private final String demand;
    private final String advice;

    Rule(String demand, String advice) {
        this.demand = demand;
        this.advice = advice;
    }

    /** Such as {@code P1.1} or {@code I1}. */
    public String id() {
        return name().replace('_', '.');
    }

    /** What it demands, in a sentence. */
    public String demand() {
        return demand;
    }

    /** What to look for if it is broken. */
    public String advice() {
        return advice;
    }

    /** What a test says that found it broken. */
    String broken(String found) {
        return id() + " broken: " + found + "\n  the rule: " + demand + "\n  look for: " + advice;
    }
}
