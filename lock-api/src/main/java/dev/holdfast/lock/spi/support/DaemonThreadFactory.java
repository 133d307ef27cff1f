package dev.holdfast.lock.spi.support;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes all daemon threads of Holdfast and of its stores. A thread serves the whole process, whichever request
 * happens to start it, and inherits nothing from that request:
 *
 * <ul>
 *   <li>no value of an {@link InheritableThreadLocal}, such as the tenant or the user of the request;
 *   <li>not its context class loader, but the one that loaded Holdfast, so that drivers and logging find the same classes on each thread;
 *   <li>neither its thread group nor its priority.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class DaemonThreadFactory implements ThreadFactory {

    private final String name;
    private final AtomicInteger number = new AtomicInteger();

    /** @param name the prefix, which the number of the thread follows, from 1 */
    public DaemonThreadFactory(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable task) {
        return unstarted(name + number.incrementAndGet(), task);
    }

    /** An unstarted thread of exactly this name. */
    @SuppressWarnings("ThreadPriorityCheck") // only undoes what would be inherited
    public static Thread unstarted(String name, Runnable task) {
        Thread thread = new Thread(rootGroup(), task, name, 0, false);
        thread.setDaemon(true);
        thread.setPriority(Thread.NORM_PRIORITY);
        thread.setContextClassLoader(DaemonThreadFactory.class.getClassLoader());
        return thread;
    }

    private static ThreadGroup rootGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }
}
