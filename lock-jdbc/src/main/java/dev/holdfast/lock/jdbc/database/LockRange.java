package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A page of lock names, in the order of their code points, which is that of their bytes in UTF-8.
 *
 * @param from the least name of the page
 * @param after less than all names of the page
 * @param before greater than all names of the page
 * @param limit the maximum number of names
 */
public record LockRange(String from, String after, String before, int limit) {

    /** Small enough to keep queries short, large enough to keep them few. */
    static final int PAGE_SIZE = 500;

    private static final String GREATEST = Character.toString(Character.MAX_CODE_POINT);

    /**
     * The locks whose names have a prefix, page by page: each page is a separate short query, so that the database keeps neither
     * snapshot nor connection for a slow reader.
     *
     * @param prefix empty for all; there are none for a prefix that no name can have
     * @param query reads the locks of a page, in the order of their names
     */
    public static Stream<LockInfo> pages(String prefix, Function<LockRange, List<LockInfo>> query) {
        if (!isPrefix(prefix)) {
            return Stream.empty();
        }
        LockRange first = ofPrefix(prefix);
        return Stream.iterate(query.apply(first), page -> !page.isEmpty(), page -> nextPage(page, first, query))
                .flatMap(List::stream);
    }

    /** The first page of the names that have a prefix. */
    static LockRange ofPrefix(String prefix) {
        return new LockRange(prefix, "", prefix + GREATEST.repeat(LockName.MAX_CODE_POINTS + 1), PAGE_SIZE);
    }

    private static boolean isPrefix(String prefix) {
        try {
            return prefix.isEmpty() || new LockName(prefix).value().equals(prefix);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static List<LockInfo> nextPage(
            List<LockInfo> page, LockRange first, Function<LockRange, List<LockInfo>> query) {
        if (page.size() < first.limit) {
            return List.of();
        }
        String last = page.get(page.size() - 1).name().value();
        return query.apply(new LockRange(first.from, last, first.before, first.limit));
    }

    /** Sets the first five parameters of a query: the namespace, then the components in their order. */
    public void setParameters(PreparedStatement query, Namespace namespace) throws SQLException {
        query.setString(1, namespace.value());
        query.setString(2, from);
        query.setString(3, after);
        query.setString(4, before);
        query.setInt(5, limit);
    }
}
