package dev.holdfast.lock.bench.alone;

import static java.nio.charset.StandardCharsets.UTF_8;

import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;

/** What a Redis server says of itself. */
final class RedisFacts implements AutoCloseable {

    private final Connection connection;

    RedisFacts(int port) {
        this.connection = new Connection(new HostAndPort("127.0.0.1", port));
    }

    /** How many keys there are, whosever they are. */
    long keys() {
        connection.sendCommand(Command.DBSIZE);
        return connection.getIntegerReply();
    }

    /** What it has used of the processors until now, in seconds. */
    double processorSeconds() {
        connection.sendCommand(Command.INFO, "cpu");
        return new String(connection.getBinaryBulkReply(), UTF_8)
                .lines()
                .filter(line -> line.startsWith("used_cpu_user:") || line.startsWith("used_cpu_sys:"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
                .sum();
    }

    @Override
    public void close() {
        connection.close();
    }
}
