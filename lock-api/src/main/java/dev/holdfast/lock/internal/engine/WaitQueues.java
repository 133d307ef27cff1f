package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.state.EngineSettings;
import dev.holdfast.lock.internal.state.WaitQueue;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The queues of an engine: one for each name that this process holds or waits for exclusively, and one for each acquisition of another
 * share, as the store alone decides which of those last side by side. Thread-safe.
 */
final class WaitQueues {

    private final EngineSettings settings;
    private final Map<LockName, WaitQueue> exclusive = new ConcurrentHashMap<>();
    private final Map<LockName, Set<WaitQueue>> shared = new ConcurrentHashMap<>();

    WaitQueues(EngineSettings settings) {
        this.settings = settings;
    }

    /** The queue for one more waiter. */
    WaitQueue forShare(LockName name, Share share) {
        if (!share.isExclusive()) {
            return newShared(name);
        }
        WaitQueue queue = exclusive.get(name);
        return queue != null ? queue : exclusive.computeIfAbsent(name, missing -> new WaitQueue(settings, missing));
    }

    private WaitQueue newShared(LockName name) {
        WaitQueue queue = new WaitQueue(settings, name);
        shared.compute(name, (any, others) -> {
            Set<WaitQueue> all = others == null ? ConcurrentHashMap.newKeySet() : others;
            all.add(queue);
            return all;
        });
        return queue;
    }

    /** Removes a queue that is not used any more. */
    void remove(WaitQueue queue) {
        if (!exclusive.remove(queue.name(), queue)) {
            shared.computeIfPresent(queue.name(), (any, all) -> {
                all.remove(queue);
                return all.isEmpty() ? null : all;
            });
        }
    }

    /** Passes on the queues of a name, of which some may be dropped or added meanwhile. */
    void forEach(LockName name, Consumer<WaitQueue> action) {
        WaitQueue queue = exclusive.get(name);
        if (queue != null) {
            action.accept(queue);
        }
        shared.getOrDefault(name, Set.of()).forEach(action);
    }

    /** All queues; a copy. */
    List<WaitQueue> all() {
        List<WaitQueue> all = new ArrayList<>(exclusive.values());
        shared.values().forEach(all::addAll);
        return all;
    }

    int size() {
        return exclusive.size() + shared.values().stream().mapToInt(Set::size).sum();
    }
}
