package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.spi.Deadline;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/** One server at a time: standalone, or whichever the sentinels name at the moment. */
final class SingleServer implements Servers {

    private final Place place;
    private final int connections;

    /** @param connections how many there may be at a time */
    SingleServer(Place place, int connections) {
        this.place = place;
        this.connections = connections;
    }

    @Override
    public int buckets() {
        return 1;
    }

    @Override
    public int connections() {
        return connections;
    }

    @Override
    public List<Object> call(List<Call> calls, Deadline deadline) {
        List<Object> replies = undoubted(() -> {
            try (Exchange exchange = new Exchange(place.present(), calls, deadline)) {
                exchange.send();
                return exchange.read(deadline);
            }
        });
        if (replies.stream().anyMatch(Failures::isOfTopology)) {
            place.doubt();
        }
        return replies;
    }

    /** What fails may do so because the server is no longer the one to ask. */
    private <T> T undoubted(Supplier<T> question) {
        try {
            return question.get();
        } catch (JedisException e) {
            place.doubt();
            throw e;
        }
    }

    @Override
    public Borrowed subscriber(Deadline deadline) {
        return undoubted(() -> place.present().dedicated(deadline));
    }

    @Override
    public <T> Map<String, T> each(Question<T> question, Deadline deadline) {
        return undoubted(() -> {
            Node one = place.present();
            return Map.of(one.address().toString(), ask(one, question, deadline));
        });
    }

    static <T> T ask(Node node, Question<T> question, Deadline deadline) {
        try (Borrowed borrowed = node.borrow(deadline)) {
            Connection connection = borrowed.connection();
            connection.setSoTimeout(Math.max(1, deadline.millisLeft()));
            boolean isAnswered = false;
            try {
                T answer = question.ask(connection);
                isAnswered = true;
                return answer;
            } finally {
                if (!isAnswered) {
                    borrowed.giveUp(); // something may be unread
                }
            }
        }
    }

    @Override
    public void close() {
        place.close();
    }
}
