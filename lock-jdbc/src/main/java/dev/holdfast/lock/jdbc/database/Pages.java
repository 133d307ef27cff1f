package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Locks, page by page: each page is a short question of its own, so that the database keeps nothing, neither snapshot nor
 * connection, for whoever reads slowly.
 */
public final class Pages {

    private Pages() {}

    /**
     * The locks whose names begin like this.
     *
     * @param prefix empty for all; what no name can begin with begins none
     * @param page asks for those of a range, in their order
     */
    public static Stream<LockInfo> of(String prefix, Function<Range, List<LockInfo>> page) {
        if (!isBeginning(prefix)) {
            return Stream.empty();
        }
        Range first = Range.beginning(prefix);
        return Stream.iterate(page.apply(first), locks -> !locks.isEmpty(), locks -> next(locks, first, page))
                .flatMap(List::stream);
    }

    private static boolean isBeginning(String prefix) {
        try {
            return prefix.isEmpty() || new LockName(prefix).value().equals(prefix);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static List<LockInfo> next(List<LockInfo> locks, Range first, Function<Range, List<LockInfo>> page) {
        return locks.size() < first.most()
                ? List.of()
                : page.apply(first.after(locks.get(locks.size() - 1).name()));
    }
}
