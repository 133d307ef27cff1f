package dev.holdfast.lock.redis.connection;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Which of the masters that sentinels name is the one. The greatest epoch tells, as a failover gets its own from a majority of
 * the sentinels: one of them that knows it is enough, and those that have not heard of it yet are not believed. Of one epoch,
 * which a user without the right to ask for it is never told, another master counts only if more than half of all sentinels
 * name it: neither a few that are cut off, nor two names of one master, lead to and fro. Not thread-safe.
 */
final class Belief {

    /** Sentinels that were set up anew begin with small epochs; by then they are no few that have missed a failover. */
    private static final Duration SET_UP_ANEW = Duration.ofSeconds(30);

    private final int sentinels;
    private Named present;
    private boolean areOlder;
    private long olderSince;

    /**
     * Believes the first answers as they are.
     *
     * @param sentinels how many there are
     * @param answers not empty
     */
    Belief(int sentinels, List<Named> answers) {
        this.sentinels = sentinels;
        this.present = answers.get(0);
        this.present = best(answers);
    }

    Named present() {
        return present;
    }

    /** One that knows of a later failover, whatever the others are about to say. */
    void hear(Named answer) {
        if (answer.epoch() > present.epoch()) {
            believe(answer);
        }
    }

    /**
     * All answers of one round.
     *
     * @param now {@link System#nanoTime}
     */
    void settle(List<Named> answers, long now) {
        if (answers.isEmpty()) {
            return;
        }
        Named best = best(answers);
        if (best.epoch() > present.epoch()) {
            believe(best);
        } else if (best.epoch() == present.epoch()) {
            areOlder = false;
            if (2 * answers.stream().filter(best::equals).count() > sentinels) {
                believe(best);
            }
        } else if (2 * answers.size() <= sentinels) {
            areOlder = false;
        } else if (!areOlder) {
            areOlder = true;
            olderSince = now;
        } else if (now - olderSince >= SET_UP_ANEW.toNanos()) {
            believe(best);
        }
    }

    private void believe(Named named) {
        present = named;
        areOlder = false;
    }

    private Named best(List<Named> answers) {
        long epoch = answers.stream().mapToLong(Named::epoch).max().orElseThrow();
        Map<Named, Long> latest = answers.stream()
                .filter(each -> each.epoch() == epoch)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        return latest.entrySet().stream()
                .max(Map.Entry.<Named, Long>comparingByValue()
                        .thenComparing(Map.Entry::getKey, Comparator.comparing(this::isPresent)))
                .orElseThrow()
                .getKey();
    }

    private boolean isPresent(Named named) {
        return named.address().equals(present.address());
    }
}
