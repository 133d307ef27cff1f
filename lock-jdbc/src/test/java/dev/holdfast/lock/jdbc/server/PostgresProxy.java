package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.tck.faults.TrafficObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/** A proxy between a client and a PostgreSQL server, which counts queries and can withhold replies. */
public final class PostgresProxy implements AutoCloseable {

    private final PostgresServer server;
    private final FaultyProxy proxy;
    private final AtomicInteger questions = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();
    private final ReentrantLock guard = new ReentrantLock();
    /** Written under the guard: a request that was read before the end of a fault must not begin it again. */
    private volatile Hold hold;

    /** Begins to listen. */
    public PostgresProxy(PostgresServer server) {
        this.server = server;
        this.proxy = new FaultyProxy(address(), () -> {
            connections.incrementAndGet();
            return new Conversation();
        });
    }

    private InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    }

    /** The same database through this proxy; without encryption, which it does not understand. */
    public String url(String direct) {
        return direct.replaceFirst(":" + server.port() + "/", ":" + proxy.port() + "/")
                + "?sslmode=disable&gssEncMode=disable"
                + (server.parameters().isEmpty() ? "" : "&" + server.parameters());
    }

    /**
     * How often a client has asked so far and then waited for an answer; without the empty query, by which a pool finds out whether a
     * connection is alive that was not used for a while.
     */
    public int questions() {
        return questions.get();
    }

    /** How many connections there have been, with those that were ended at once. */
    public int connections() {
        return connections.get();
    }

    /**
     * Keeps every answer back from the next request on that has this text in it, until it is let go or the connections are cut. Not
     * sooner: a pool that asks whether its connection is alive would not get an answer either, and would not send the request.
     */
    public Hold holdAnswersTo(String text) {
        Hold begun = new Hold(text);
        guard.lock();
        try {
            hold = begun;
        } finally {
            guard.unlock();
        }
        return begun;
    }

    private void keepAnswersBack(Hold asked) {
        guard.lock();
        try {
            if (hold == asked) {
                proxy.hold(Direction.TO_CLIENT);
            }
        } finally {
            guard.unlock();
        }
    }

    /** Cuts all connections; what was kept back is never delivered. */
    public void cut() {
        proxy.leadTo(address());
        heal();
    }

    /** Cuts all connections and ends new ones at once, until {@link #heal}. */
    public void refuse() {
        proxy.cut();
    }

    /** Delivers nothing any more, in no direction, until {@link #heal}. */
    public void silence() {
        proxy.hold(Direction.TO_SERVER);
        proxy.hold(Direction.TO_CLIENT);
    }

    /** Ends every fault. */
    public void heal() {
        guard.lock();
        try {
            hold = null;
            proxy.pass();
        } finally {
            guard.unlock();
        }
    }

    @Override
    public void close() {
        proxy.close();
    }

    /** Answers that are kept back. */
    public final class Hold {
        private final String text;
        private final CountDownLatch arrived = new CountDownLatch(1);

        private Hold(String text) {
            this.text = text;
        }

        private boolean begins(byte[] request, int count) {
            return new String(request, 0, count, StandardCharsets.UTF_8).contains(text);
        }

        /** Waits until the server has finished the answer to such a request, and so has committed what it is about. */
        public boolean awaitAnswer(long millis) throws InterruptedException {
            return arrived.await(millis, TimeUnit.MILLISECONDS);
        }

        /** Delivers what was kept back. */
        public void letGo() {
            heal();
        }
    }

    /** Messages of one connection: a type (but for the first), a length that counts itself, the rest. */
    private final class Conversation implements TrafficObserver {

        private static final byte QUERY = 'Q';
        private static final byte SYNC = 'S';
        private static final int EMPTY = Integer.BYTES + 1;

        private byte type;
        private int left = Integer.BYTES; // bytes of what is read now
        private boolean isHeader = true;
        private int length;
        private volatile boolean isAsked;
        private volatile Hold asked;
        private volatile boolean isReady; // for its first request, after the handshake

        @Override
        public void sent(Direction direction, byte[] bytes, int count) {
            Hold held = hold;
            if (direction == Direction.TO_SERVER) {
                if (held != null && isReady && held.begins(bytes, count)) {
                    asked = held;
                    keepAnswersBack(held);
                }
                for (int at = 0; at < count; at++) {
                    read(bytes[at]);
                }
            } else if (isFinished(bytes, count)) {
                isReady = true;
                if (held != null && held == asked && isAsked) {
                    held.arrived.countDown();
                }
            }
        }

        private void read(byte next) {
            if (isHeader && left > Integer.BYTES) {
                type = next;
            } else if (isHeader) {
                length = (length << Byte.SIZE) | (next & 0xff);
            }
            left--;
            if (left == 0 && isHeader) {
                count();
                isHeader = length == Integer.BYTES;
                left = length - Integer.BYTES;
            }
            if (left == 0) {
                isHeader = true;
                length = 0;
                left = 1 + Integer.BYTES;
            }
        }

        /** Before it is sent: a client that has the answer finds the question counted. */
        private void count() {
            isAsked = type == SYNC || (type == QUERY && length > EMPTY);
            if (isAsked) {
                questions.incrementAndGet();
            }
        }

        /** Whether it ends with ReadyForQuery, outside a transaction. */
        private static boolean isFinished(byte[] bytes, int count) {
            return count >= 6 && bytes[count - 6] == 'Z' && bytes[count - 1] == 'I';
        }
    }
}
