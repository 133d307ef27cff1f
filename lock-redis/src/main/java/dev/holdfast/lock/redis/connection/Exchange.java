package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.redis.script.Script;
import dev.holdfast.lock.spi.Deadline;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.Pool;

/**
 * Calls that travel together to one server, in one round trip: sent first and read later, so that several servers can be at
 * work at the same time.
 */
final class Exchange implements AutoCloseable {

    private final Borrowed borrowed;
    private final Connection connection;
    private final List<Call> calls;

    Exchange(Pool<Connection> pool, List<Call> calls, Deadline deadline) {
        this.borrowed = Borrowed.from(pool, deadline);
        this.connection = borrowed.connection();
        this.calls = calls;
    }

    void send() {
        calls.forEach(call -> connection.sendCommand(call.bySha()));
        connection.getMany(0); // sends what is in its buffer
    }

    /** A reply for each call, or the error that the server answered instead. */
    List<Object> read(Deadline deadline) {
        List<Object> replies = read(calls.size(), deadline);
        List<Integer> unknown = new ArrayList<>();
        for (int at = 0; at < replies.size(); at++) {
            if (replies.get(at) instanceof JedisNoScriptException) {
                unknown.add(at);
            }
        }
        if (!unknown.isEmpty()) {
            teach(unknown, replies, deadline);
        }
        if (replies.stream().anyMatch(Failures::isOfConnection)) {
            borrowed.giveUp();
        }
        return replies;
    }

    /**
     * The server has been started anew, or is another one now. It learns all scripts before it is asked again, so that no step
     * to come is carried out before one that it follows.
     */
    private void teach(List<Integer> unknown, List<Object> replies, Deadline deadline) {
        for (Script script : Script.values()) {
            connection.sendCommand(
                    new CommandArguments(Command.SCRIPT).add("LOAD").add(script.text()));
        }
        unknown.forEach(at -> connection.sendCommand(calls.get(at).byText()));
        List<Object> answers = read(Script.values().length + unknown.size(), deadline);
        for (int at = 0; at < unknown.size(); at++) {
            replies.set(unknown.get(at), answers.get(Script.values().length + at));
        }
    }

    private List<Object> read(int count, Deadline deadline) {
        List<Object> replies = new ArrayList<>(count);
        while (replies.size() < count) {
            connection.setSoTimeout(Math.max(1, deadline.millisLeft()));
            try {
                replies.add(connection.getOne());
            } catch (JedisDataException e) {
                replies.add(e);
            }
        }
        return replies;
    }

    @Override
    public void close() {
        borrowed.close();
    }
}
