package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.server.Endpoints;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** The locks of Java, which exclude the threads of one process. */
final class JdkPeers {

    private JdkPeers() {}

    static Peer fairLock(Endpoints unused) {
        Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();
        return new Peer(
                name -> {
                    ReentrantLock lock = locks.computeIfAbsent(name, missing -> new ReentrantLock(true));
                    lock.lockInterruptibly();
                    return lock::unlock;
                },
                () -> {});
    }
}
