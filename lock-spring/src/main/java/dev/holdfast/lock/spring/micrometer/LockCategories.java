package dev.holdfast.lock.spring.micrometer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The categories of locks that metrics distinguish: a bounded number, however many names there are. Thread-safe. */
final class LockCategories {

    static final String OTHER = "other";

    private static final Logger log = LoggerFactory.getLogger(LockMetrics.class);

    private final Function<String, @Nullable String> categoryOfName;
    private final int limit;
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final ReentrantLock guard = new ReentrantLock();
    private final AtomicBoolean warned = new AtomicBoolean();

    /** @param limit the maximum number of categories, not counting {@link #OTHER} */
    LockCategories(Function<String, @Nullable String> categoryOfName, int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("the limit of categories is zero or more, not " + limit);
        }
        this.categoryOfName = categoryOfName;
        this.limit = limit;
    }

    /** The part before the first colon; without a colon the whole name, unless it contains a digit, like one with an id. */
    static String beforeColon(String name) {
        int colon = name.indexOf(':');
        if (colon >= 0) {
            return name.substring(0, colon);
        }
        return name.chars().anyMatch(Character::isDigit) ? OTHER : name;
    }

    String of(String name) {
        String category = given(name);
        if (category == null || category.isBlank() || category.equals(OTHER)) {
            return OTHER;
        }
        return known.contains(category) || isAdded(category) ? category : OTHER;
    }

    private @Nullable String given(String name) {
        try {
            return categoryOfName.apply(name);
        } catch (RuntimeException e) {
            warnOnce(
                    "the function that returns the category of a lock failed for '{}'; such locks are counted as '{}'",
                    name,
                    e);
            return OTHER;
        }
    }

    private boolean isAdded(String category) {
        guard.lock();
        try {
            if (known.size() < limit) {
                known.add(category);
            }
        } finally {
            guard.unlock();
        }
        boolean added = known.contains(category);
        if (!added) {
            warnOnce(
                    "there are more than " + limit
                            + " categories of locks; '{}' and further ones are counted as '{}': give"
                            + " LockMetrics a function with fewer results",
                    category,
                    null);
        }
        return added;
    }

    private void warnOnce(String message, String about, @Nullable RuntimeException cause) {
        if (warned.compareAndSet(false, true)) {
            log.warn(message, about, OTHER, cause);
        }
    }
}
