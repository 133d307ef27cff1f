package dev.holdfast.lock.redis.testserver;

import dev.holdfast.lock.testing.Await;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Records the commands that a server receives from its clients, in their order and without loss. It does not record what
 * scripts call, nor what MONITOR never shows: refused commands, such as those for which a user has no right,
 * {@code AUTH}, and those of administrators.
 */
public final class CommandRecorder implements AutoCloseable {

    /** {@code time [database client] "name" "argument"…}; the client of a script's calls is {@code lua}. */
    private static final Pattern LINE = Pattern.compile("\\S+ \\[\\d+ (\\S+)] (\"(\\w+)\".*)");

    private static final String MARK = "so far, ";
    private static final String MARKER = "\"ECHO\" \"" + MARK;

    private final Connection monitor;
    private final Connection marking;
    private final Lock asking = new ReentrantLock();
    private final Queue<Seen> seen = new ConcurrentLinkedQueue<>();
    private volatile String passed = "";

    /**
     * A command of a client.
     *
     * @param client the address of its connection, which no other has at the same time
     * @param name such as {@code EVALSHA}, as the client has written it
     * @param line the name and the arguments, each in quotation marks
     */
    public record Seen(String client, String name, String line) {}

    /** Begins to look. */
    public CommandRecorder(RedisServer server) {
        HostAndPort address = new HostAndPort(server.address().getHostString(), server.port());
        marking = new Connection(address, server.clientConfig());
        monitor = new Connection(address, server.clientConfig());
        monitor.setTimeoutInfinite();
        monitor.sendCommand(Command.MONITOR);
        monitor.getStatusCodeReply();
        Thread reading = new Thread(this::read, "commands-" + server.port());
        reading.setDaemon(true);
        reading.start();
    }

    private void read() {
        try {
            while (true) {
                Matcher line = LINE.matcher(monitor.getBulkReply());
                if (!line.matches()) {
                    throw new IllegalStateException("not a line of MONITOR: " + line);
                }
                take(new Seen(line.group(1), line.group(3), line.group(2)));
            }
        } catch (JedisConnectionException e) {
            // closed, or the server is gone, as the next question finds
        }
    }

    private void take(Seen command) {
        if (command.line().startsWith(MARKER)) {
            passed = command.line();
        } else if (!command.client().equals("lua")) {
            seen.add(command);
        }
    }

    /**
     * All commands that the server began to carry out before this call and after {@link #forget}, including those that open a
     * connection ({@code HELLO}, {@code CLIENT}).
     */
    public List<Seen> all() {
        String marker = UUID.randomUUID().toString();
        asking.lock();
        try {
            marking.sendCommand(Command.ECHO, MARK + marker);
            marking.getBulkReply();
            // The server shows commands in the order in which it carries them out.
            Await.until("the server shows what it has done", () -> passed.contains(marker));
            return List.copyOf(seen);
        } finally {
            asking.unlock();
        }
    }

    /** How many commands there have been; of these names, if there are any. */
    public long count(String... names) {
        return all().stream()
                .filter(each -> names.length == 0 || Arrays.stream(names).anyMatch(each.name()::equalsIgnoreCase))
                .count();
    }

    /** Waits until there have been that many commands of this name. */
    public void await(String name, long count) {
        Await.until(count + " times " + name, () -> count(name) >= count);
    }

    /** Forgets the commands so far. */
    public void forget() {
        all().forEach(oldest -> seen.remove());
    }

    @Override
    public void close() {
        monitor.disconnect();
        marking.close();
    }
}
