package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Turns commands into script calls, and their replies into those to the commands. Acquires and releases of different locks travel as a
 * {@link LockSet}, in the hope that they are plain; what it leaves takes a second round trip, in which each command has its own script.
 * Where many were left, as locks are contended, the next calls have no sets. Thread-safe.
 */
public final class CommandScripts {

    /** Few: at worst a set costs another round trip; at best it saves the server about half of its time. */
    private static final int WITHOUT_SETS = 16;

    /** If more than one command in so many was left, they were too many. */
    private static final int MANY = 4;

    private final CommandEncoder encoder;
    private final boolean isUnderTerm;
    private final Function<JedisException, LockUnavailableException> unavailable;
    private final int pause;
    /** The number of calls to come without sets, single commands among them. */
    private final AtomicInteger withoutSets = new AtomicInteger();

    /**
     * The scripts for commands on these keys.
     *
     * @param channel of this store, on which its waiters are notified
     * @param unavailable the exception of the store for a failure
     */
    public CommandScripts(
            KeyLayout keys, String channel, Function<JedisException, LockUnavailableException> unavailable) {
        this(keys, channel, unavailable, WITHOUT_SETS);
    }

    /** @param pause the number of calls without sets after one whose set has left too much */
    CommandScripts(
            KeyLayout keys, String channel, Function<JedisException, LockUnavailableException> unavailable, int pause) {
        this.encoder = new CommandEncoder(keys, channel);
        this.isUnderTerm = keys.primaryTerm().isPresent();
        this.unavailable = unavailable;
        this.pause = pause;
    }

    public KeyLayout keys() {
        return encoder.keys();
    }

    /** Begins the exchange of these commands, of which those on one lock keep their order, for replies. */
    public Exchange begin(List<LockCommand> commands) {
        boolean mayLeave = withoutSets.get() == 0 || withoutSets.getAndUpdate(left -> Math.max(0, left - 1)) == 0;
        return new Exchange(commands, mayLeave);
    }

    /** A list of commands and their replies, in one round trip or two. Not thread-safe. */
    public final class Exchange {

        private final List<LockCommand> commands;
        private final LockReply[] replies;
        /** The places of the commands without a reply, in the order of the next calls. */
        private int[] places;

        private CommandBatch batch;

        private Exchange(List<LockCommand> commands, boolean mayLeave) {
            this.commands = commands;
            this.replies = new LockReply[commands.size()];
            this.places = new int[commands.size()];
            Arrays.setAll(places, at -> at);
            this.batch = encoder.encode(commands, mayLeave);
        }

        /** The calls to make next. */
        public List<ScriptCall> calls() {
            return batch.calls();
        }

        /**
         * Takes the replies to the calls.
         *
         * @param answers for each call its reply, or the {@link JedisException} that explains why there is none
         * @return whether each command has its reply; otherwise there are {@link #calls} to make
         */
        public boolean receive(List<Object> answers) {
            Object[] results = batch.replies(answers);
            int left = 0;
            for (int at = 0; at < places.length; at++) {
                LockCommand command = commands.get(places[at]);
                Object reply = results[at];
                if (ScriptReplies.isLeft(reply)) {
                    places[left++] = places[at];
                } else {
                    replies[places[at]] = ScriptReplies.decode(command, reply, isUnderTerm, unavailable);
                }
            }
            if (left > replies.length / MANY) {
                withoutSets.set(pause);
            }
            if (left == 0) {
                return true;
            }
            places = Arrays.copyOf(places, left);
            batch = encoder.encode(Arrays.stream(places).mapToObj(commands::get).toList(), false);
            return false;
        }

        /** The commands that have no reply yet are unavailable. */
        public void fail(LockUnavailableException cause) {
            for (int place : places) {
                replies[place] = new LockReply.Unavailable(cause);
            }
        }

        /** The reply to each command, once each has one. */
        public List<LockReply> replies() {
            return Arrays.asList(replies);
        }
    }
}
