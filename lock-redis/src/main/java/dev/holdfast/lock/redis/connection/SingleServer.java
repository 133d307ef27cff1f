package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.spi.Deadline;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;

/** One server at a time: standalone, or whichever the sentinels name at the moment. */
final class SingleServer implements Servers {

    private final Supplier<? extends Node> node;
    private final int connections;
    private final Runnable closing;

    /**
     * @param node the server of the moment
     * @param connections how many to it there may be at a time
     * @param closing what to do in the end
     */
    SingleServer(Supplier<? extends Node> node, int connections, Runnable closing) {
        this.node = node;
        this.connections = connections;
        this.closing = closing;
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
        try (Exchange exchange = new Exchange(node.get(), calls, deadline)) {
            exchange.send();
            return exchange.read(deadline);
        }
    }

    @Override
    public Borrowed subscriber(Deadline deadline) {
        return node.get().dedicated(deadline);
    }

    @Override
    public <T> Map<String, T> each(Question<T> question, Deadline deadline) {
        Node one = node.get();
        return Map.of(one.address().toString(), ask(one, question, deadline));
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
        closing.run();
    }
}
