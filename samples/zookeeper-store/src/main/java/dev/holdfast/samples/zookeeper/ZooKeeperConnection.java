package dev.holdfast.samples.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.spi.support.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.StringCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;

/**
 * Requests to ZooKeeper that end on time. Each is asynchronous, as the client's blocking methods wait for as long as a server is
 * silent. The requests of one thread are executed in the order in which it sends them. Thread-safe.
 *
 * <p>The client reconnects by itself until its session has expired. That has no further effect here, as no node is ephemeral: the
 * next request starts another session.
 */
final class ZooKeeperConnection implements AutoCloseable {

    private static final byte[] NOTHING = {};

    private final String servers;
    private final Duration callTimeout;
    private final ReentrantLock lock = new ReentrantLock();
    private ZooKeeper session;
    private boolean closed;

    /** Connects in the background. */
    ZooKeeperConnection(String servers, Duration callTimeout) throws IOException {
        this.servers = servers;
        this.callTimeout = callTimeout;
        this.session = connect();
    }

    private ZooKeeper connect() throws IOException {
        ZKClientConfig config = new ZKClientConfig();
        // Of the blocking methods only close() is called, which tells the server.
        config.setProperty(ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT, Long.toString(callTimeout.toMillis()));
        // The client gives up a silent connection after two thirds of this.
        int sessionTimeout = (int) Math.min(callTimeout.toMillis() * 3 / 2, Integer.MAX_VALUE);
        return new ZooKeeper(servers, sessionTimeout, event -> {}, config);
    }

    private ZooKeeper session() throws IOException {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("this store is closed");
            }
            if (!session.getState().isAlive()) {
                session = connect();
            }
            return session;
        } finally {
            lock.unlock();
        }
    }

    /** Writes the node, whose content has no meaning, for the time on the server. */
    CompletableFuture<Stat> touch(String path) throws IOException {
        CompletableFuture<Stat> reply = new CompletableFuture<>();
        session().setData(path, NOTHING, -1, (code, at, context, stat) -> complete(reply, code, at, () -> stat), null);
        return reply;
    }

    /** The content of a node, with the version by which it can be replaced. */
    CompletableFuture<Content> read(String path) throws IOException {
        CompletableFuture<Content> reply = new CompletableFuture<>();
        DataCallback callback = (code, at, context, data, stat) -> {
            if (code == Code.NONODE.intValue()) {
                reply.complete(Content.ABSENT);
            } else {
                complete(reply, code, at, () -> new Content(new String(data, UTF_8), stat.getVersion()));
            }
        };
        session().getData(path, false, callback, null);
        return reply;
    }

    /** Replaces the content if it still has this version, and returns whether it had. */
    CompletableFuture<Boolean> replace(String path, String text, int version) throws IOException {
        if (version == Content.ABSENT.version()) {
            return create(path, text);
        }
        CompletableFuture<Boolean> reply = new CompletableFuture<>();
        StatCallback callback = (code, at, context, stat) -> completeUnless(Code.BADVERSION, reply, code, at);
        session().setData(path, text.getBytes(UTF_8), version, callback, null);
        return reply;
    }

    /** Creates the node, and returns whether it did: false if the node exists. */
    CompletableFuture<Boolean> create(String path, String text) throws IOException {
        CompletableFuture<Boolean> reply = new CompletableFuture<>();
        StringCallback callback = (code, at, context, name) -> completeUnless(Code.NODEEXISTS, reply, code, at);
        session().create(path, text.getBytes(UTF_8), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT, callback, null);
        return reply;
    }

    /** The names of the nodes below this one. */
    CompletableFuture<List<String>> children(String path) throws IOException {
        CompletableFuture<List<String>> reply = new CompletableFuture<>();
        ChildrenCallback callback = (code, at, context, names) -> complete(reply, code, at, () -> names);
        session().getChildren(path, false, callback, null);
        return reply;
    }

    /** Waits for a reply until the deadline. The request may be executed even later. */
    static <T> T await(CompletableFuture<T> reply, Deadline deadline) throws Exception {
        try {
            return reply.get(Math.max(0, deadline.millisLeft()), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("ZooKeeper did not reply within the timeout", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KeeperException failure ? failure : e;
        }
    }

    private static void completeUnless(Code expected, CompletableFuture<Boolean> reply, int code, String path) {
        if (code == expected.intValue()) {
            reply.complete(false);
        } else {
            complete(reply, code, path, () -> true);
        }
    }

    private static <T> void complete(CompletableFuture<T> reply, int code, String path, Supplier<T> result) {
        if (code == Code.OK.intValue()) {
            reply.complete(result.get());
        } else {
            reply.completeExceptionally(KeeperException.create(Code.get(code), path));
        }
    }

    @Override
    public void close() {
        ZooKeeper last;
        lock.lock();
        try {
            closed = true;
            last = session;
        } finally {
            lock.unlock();
        }
        try {
            last.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The content of a node, and its version: the number of times that it was replaced. */
    record Content(String text, int version) {
        static final Content ABSENT = new Content("", -1);
    }
}
