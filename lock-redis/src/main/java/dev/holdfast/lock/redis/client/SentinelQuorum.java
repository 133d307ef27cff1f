package dev.holdfast.lock.redis.client;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Decides which of the masters that the sentinels name is the current one.
 *
 * <p>The greatest epoch decides: a failover gets its epoch from a majority of the sentinels, so one sentinel that reports it
 * is enough, and sentinels that have not heard of it do not count. Within one epoch, another master counts only if more than
 * half of all sentinels name it; then neither a few sentinels that are cut off nor two names of one master make the store
 * switch back and forth. A user without the right to read epochs gets the epoch 0 from every sentinel. Not thread-safe.
 */
final class SentinelQuorum {

    /** Reinstalled sentinels begin with small epochs; after this long they count as more than a few that missed a failover. */
    private static final Duration SET_UP_ANEW = Duration.ofSeconds(30);

    private final int sentinels;
    private SentinelReply current;
    private boolean areOlder;
    private long olderSince;

    /**
     * Accepts the first replies as they are.
     *
     * @param sentinels the number of sentinels
     * @param replies not empty
     */
    SentinelQuorum(int sentinels, Collection<SentinelReply> replies) {
        this.sentinels = sentinels;
        this.current = replies.iterator().next();
        this.current = best(replies);
    }

    SentinelReply current() {
        return current;
    }

    /**
     * Takes the latest replies of all sentinels that answer.
     *
     * @param now {@link System#nanoTime}
     */
    void update(Collection<SentinelReply> replies, long now) {
        if (replies.isEmpty()) {
            return;
        }
        SentinelReply best = best(replies);
        if (best.epoch() > current.epoch()) {
            accept(best);
        } else if (best.epoch() == current.epoch()) {
            areOlder = false;
            if (isMajority(replies.stream().filter(best::equals).count())) {
                accept(best);
            }
        } else if (!isMajority(replies.size())) {
            areOlder = false;
        } else if (!areOlder) {
            areOlder = true;
            olderSince = now;
        } else if (now - olderSince >= SET_UP_ANEW.toNanos()) {
            accept(best);
        }
    }

    private boolean isMajority(long count) {
        return 2 * count > sentinels;
    }

    private void accept(SentinelReply reply) {
        current = reply;
        areOlder = false;
    }

    /** The reply of the greatest epoch that most sentinels give; the current master if there is a tie. */
    private SentinelReply best(Collection<SentinelReply> replies) {
        long epoch = replies.stream().mapToLong(SentinelReply::epoch).max().orElseThrow();
        Map<SentinelReply, Long> counts = replies.stream()
                .filter(each -> each.epoch() == epoch)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        return counts.entrySet().stream()
                .max(Map.Entry.<SentinelReply, Long>comparingByValue()
                        .thenComparing(Map.Entry::getKey, Comparator.comparing(this::isCurrent)))
                .orElseThrow()
                .getKey();
    }

    private boolean isCurrent(SentinelReply reply) {
        return reply.master().equals(current.master());
    }
}
