package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.spi.Deadline;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.util.Pool;

/** One server at a time: standalone, or whichever the sentinels name at the moment. */
final class SingleServer implements Servers {

    private final Supplier<Pool<Connection>> pool;
    private final Runnable closing;

    /**
     * @param pool the connections to the server of the moment
     * @param closing what to do in the end
     */
    SingleServer(Supplier<Pool<Connection>> pool, Runnable closing) {
        this.pool = pool;
        this.closing = closing;
    }

    @Override
    public int buckets() {
        return 1;
    }

    @Override
    public List<Object> call(List<Call> calls, Deadline deadline) {
        try (Exchange exchange = new Exchange(pool.get(), calls, deadline)) {
            exchange.send();
            return exchange.read(deadline);
        }
    }

    @Override
    public Connection subscriber() {
        return pool.get().getResource();
    }

    @Override
    public <T> Map<String, T> each(Question<T> question, Deadline deadline) {
        try (Borrowed borrowed = Borrowed.from(pool.get(), deadline)) {
            Connection connection = borrowed.connection();
            connection.setSoTimeout(Math.max(1, deadline.millisLeft()));
            return Map.of(String.valueOf(connection.getHostAndPort()), question.ask(connection));
        }
    }

    @Override
    public void close() {
        closing.run();
    }
}
