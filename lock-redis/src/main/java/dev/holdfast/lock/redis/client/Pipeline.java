package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.redis.script.Script;
import dev.holdfast.lock.redis.script.ScriptCall;
import dev.holdfast.lock.spi.support.Deadline;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * Calls that travel together to one server. They are sent first and read later, so that several servers can work at the same
 * time. They are sent in pieces that fit into a socket's buffer: no timeout ends a write to a peer that has stopped reading.
 *
 * <p>Calls on one lock are executed in order. A call whose script the server has forgotten is sent again, after all
 * others; therefore only the last call on a lock names its script by the hash. No other call is ever sent again: a call is
 * executed at most once, whatever happens to the connection.
 *
 * <p>A connection with an unread reply is never returned to its pool.
 */
final class Pipeline implements AutoCloseable {

    /** A reply that has already arrived is read even after the deadline, which another server may have used up. */
    private static final int MIN_TIMEOUT_MILLIS = 20;

    /** Less than the send buffer of any operating system. */
    private static final int PIECE_BYTES = 16 * 1_024;

    private final BorrowedConnection borrowed;
    private final Connection connection;
    private final List<ScriptCall> calls;
    private final Deque<CommandArguments> unsent = new ArrayDeque<>();
    private int unread;

    /** @param borrowed is closed with the pipeline */
    Pipeline(BorrowedConnection borrowed, List<ScriptCall> calls) {
        this.borrowed = borrowed;
        this.connection = borrowed.connection();
        this.calls = calls;
    }

    void send() {
        if (calls.size() == 1) {
            unsent.add(calls.get(0).bySha());
        } else {
            Set<ByteBuffer> followed = new HashSet<>();
            for (int at = calls.size() - 1; at >= 0; at--) {
                ScriptCall call = calls.get(at);
                unsent.addFirst(addAll(call, followed) ? call.bySha() : call.byText());
            }
        }
        sendPiece();
    }

    /** Adds the locks of this call, and returns whether all were new. */
    private static boolean addAll(ScriptCall call, Set<ByteBuffer> locks) {
        boolean areNew = true;
        for (byte[] lock : call.keys().subList(0, call.locks())) {
            areNew &= locks.add(ByteBuffer.wrap(lock));
        }
        return areNew;
    }

    /** Sends one command, and those after it that fit into the piece. */
    private void sendPiece() {
        int left = PIECE_BYTES;
        boolean isFirst = true;
        while (!unsent.isEmpty() && (isFirst || bytes(unsent.element()) <= left)) {
            CommandArguments command = unsent.remove();
            left -= bytes(command);
            isFirst = false;
            unread++;
            connection.sendCommand(command);
        }
        connection.getMany(0); // flushes
    }

    private static int bytes(CommandArguments command) {
        int bytes = 0;
        for (Rawable argument : command) {
            bytes += argument.getRaw().length;
        }
        return bytes;
    }

    /** Sends the rest, and reads everything that is unread: for each command its reply, or the server's error. */
    List<Object> receive(Deadline deadline) {
        List<Object> replies = new ArrayList<>(unread + unsent.size());
        while (unread > 0 || !unsent.isEmpty()) {
            if (unread == 0) {
                sendPiece();
            }
            connection.setSoTimeout(Math.max(MIN_TIMEOUT_MILLIS, deadline.millisLeft()));
            try {
                replies.add(connection.getOne());
            } catch (JedisDataException e) {
                replies.add(e);
            }
            unread--;
        }
        for (Object reply : replies) {
            if (RedisErrors.isOfConnection(reply)) {
                borrowed.discard();
            }
        }
        return replies;
    }

    /**
     * Sends again the calls whose scripts the server does not know: it was restarted, or is another one now.
     *
     * @param replies to the calls, to be replaced
     */
    void resendUnknown(List<Object> replies, Deadline deadline) {
        List<Integer> unknown = unknown(replies);
        if (!unknown.isEmpty() && load(calls.get(unknown.get(0)).script().companions(), deadline)) {
            resend(unknown, ScriptCall::bySha, replies, deadline);
            unknown = unknown(replies);
        }
        if (!unknown.isEmpty()) {
            resend(unknown, ScriptCall::byText, replies, deadline);
        }
    }

    private static List<Integer> unknown(List<Object> replies) {
        List<Integer> unknown = List.of();
        for (int at = 0; at < replies.size(); at++) {
            if (replies.get(at) instanceof JedisNoScriptException) {
                unknown = unknown.isEmpty() ? new ArrayList<>() : unknown;
                unknown.add(at);
            }
        }
        return unknown;
    }

    /** Loads the scripts, and returns whether the server accepted them all. */
    private boolean load(List<Script.Source> scripts, Deadline deadline) {
        for (Script.Source script : scripts) {
            unsent.add(new CommandArguments(Command.SCRIPT).add("LOAD").add(script.text()));
        }
        return receive(deadline).stream().noneMatch(JedisDataException.class::isInstance);
    }

    private void resend(
            List<Integer> which, Function<ScriptCall, CommandArguments> form, List<Object> replies, Deadline deadline) {
        which.forEach(at -> unsent.add(form.apply(calls.get(at))));
        List<Object> answers = receive(deadline);
        for (int at = 0; at < which.size(); at++) {
            replies.set(which.get(at), answers.get(at));
        }
    }

    /** The reply to a call that an ASK redirection sent to this node. */
    static Object asking(BorrowedConnection node, ScriptCall call, Deadline deadline) {
        try (Pipeline pipeline = new Pipeline(node, List.of(call))) {
            Object reply = pipeline.asking(call.bySha(), deadline);
            return reply instanceof JedisNoScriptException ? pipeline.asking(call.byText(), deadline) : reply;
        }
    }

    private Object asking(CommandArguments command, Deadline deadline) {
        unsent.add(new CommandArguments(Command.ASKING));
        unsent.add(command);
        return receive(deadline).get(1);
    }

    @Override
    public void close() {
        if (unread > 0) {
            borrowed.discard();
        }
        borrowed.close();
    }
}
