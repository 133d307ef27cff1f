package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.redis.script.Script;
import dev.holdfast.lock.spi.Deadline;
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
 * Calls that travel together to one server: sent first and read later, so that several servers can be at work at the same time.
 * What is more than a socket takes at once goes piece by piece, as nothing ends the wait of whoever writes to a peer that has
 * stopped to read.
 *
 * <p>Those on one lock are carried out in their order. What a server does not know is sent again, later than all others;
 * therefore only the last on a lock is called by a name that the server may not know. Nothing else is ever sent again: a call
 * is carried out once at most, whatever becomes of the connection.
 *
 * <p>A connection of which anything is unread is never given back.
 */
final class Exchange implements AutoCloseable {

    /** What has arrived already is read, however late it is: whoever was read before may have taken all the time. */
    private static final int LEAST_MILLIS = 20;

    /** Less than any system's buffer for what a socket is to send. */
    private static final int PIECE = 16 * 1_024;

    private final Borrowed borrowed;
    private final Connection connection;
    private final List<Call> calls;
    private final Deque<CommandArguments> waiting = new ArrayDeque<>();
    private int unread;

    Exchange(Node node, List<Call> calls, Deadline deadline) {
        this.borrowed = node.borrow(deadline);
        this.connection = borrowed.connection();
        this.calls = calls;
    }

    void send() {
        Set<ByteBuffer> followed = new HashSet<>();
        for (int at = calls.size() - 1; at >= 0; at--) {
            Call call = calls.get(at);
            boolean isLast = calls.size() == 1 || isLast(call, followed);
            waiting.addFirst(isLast ? call.bySha() : call.byText());
        }
        sendPiece();
    }

    /** Whether none of its locks is in a later call; from now on they are. */
    private static boolean isLast(Call call, Set<ByteBuffer> followed) {
        boolean isLast = true;
        for (byte[] lock : call.keys().subList(0, call.locks())) {
            isLast &= followed.add(ByteBuffer.wrap(lock));
        }
        return isLast;
    }

    private void sendPiece() {
        int size = 0;
        while (!waiting.isEmpty() && size < PIECE) {
            CommandArguments command = waiting.remove();
            unread++;
            connection.sendCommand(command);
            for (Rawable argument : command) {
                size += argument.getRaw().length;
            }
        }
        connection.getMany(0); // sends what is in its own buffer
    }

    /** A reply for each call, or the error that the server answered instead. */
    List<Object> read(Deadline deadline) {
        List<Object> replies = read(calls.size(), deadline);
        List<Integer> unknown = unknown(replies);
        if (!unknown.isEmpty() && isTaught(calls.get(unknown.get(0)).script().companions(), deadline)) {
            again(unknown, Call::bySha, replies, deadline);
            unknown = unknown(replies);
        }
        if (!unknown.isEmpty()) {
            again(unknown, Call::byText, replies, deadline);
        }
        for (Object reply : replies) {
            if (Failures.isOfConnection(reply)) {
                borrowed.giveUp();
            }
        }
        return replies;
    }

    private List<Object> read(int count, Deadline deadline) {
        List<Object> replies = new ArrayList<>(count);
        while (replies.size() < count) {
            if (unread == 0) {
                sendPiece();
            }
            connection.setSoTimeout(Math.max(LEAST_MILLIS, deadline.millisLeft()));
            try {
                replies.add(connection.getOne());
            } catch (JedisDataException e) {
                replies.add(e);
            }
            unread--;
        }
        return replies;
    }

    private static List<Integer> unknown(List<Object> replies) {
        List<Integer> unknown = new ArrayList<>();
        for (int at = 0; at < replies.size(); at++) {
            if (replies.get(at) instanceof JedisNoScriptException) {
                unknown.add(at);
            }
        }
        return unknown;
    }

    /** The server has been started anew, or is another one now: it learns the scripts. */
    private boolean isTaught(List<Script> scripts, Deadline deadline) {
        for (Script script : scripts) {
            waiting.add(new CommandArguments(Command.SCRIPT).add("LOAD").add(script.text()));
        }
        return read(scripts.size(), deadline).stream().noneMatch(JedisDataException.class::isInstance);
    }

    private void again(
            List<Integer> which, Function<Call, CommandArguments> form, List<Object> replies, Deadline deadline) {
        which.forEach(at -> waiting.add(form.apply(calls.get(at))));
        List<Object> answers = read(which.size(), deadline);
        for (int at = 0; at < which.size(); at++) {
            replies.set(which.get(at), answers.get(at));
        }
    }

    /** A slot is on its way: asks there where it goes. */
    static Object asking(Node node, Call call, Deadline deadline) {
        try (Exchange exchange = new Exchange(node, List.of(call), deadline)) {
            Object reply = exchange.asking(call.bySha(), deadline);
            return reply instanceof JedisNoScriptException ? exchange.asking(call.byText(), deadline) : reply;
        }
    }

    private Object asking(CommandArguments command, Deadline deadline) {
        waiting.add(new CommandArguments(Command.ASKING));
        waiting.add(command);
        return read(2, deadline).get(1);
    }

    @Override
    public void close() {
        if (unread > 0) {
            borrowed.giveUp();
        }
        borrowed.close();
    }
}
