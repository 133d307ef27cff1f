package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Some names, in the order of their code points, which is that of their bytes in UTF-8.
 *
 * @param from the least that may be among them
 * @param after less than all of them
 * @param before greater than all of them
 * @param most how many at most
 */
public record Range(String from, String after, String before, int most) {

    /** Few enough that a question is a short one, many enough that questions are few. */
    static final int PAGE = 500;

    private static final String GREATEST = Character.toString(Character.MAX_CODE_POINT);

    /** The first of all names that begin like this. */
    static Range beginning(String prefix) {
        return new Range(prefix, "", prefix + GREATEST.repeat(LockName.MAX_CODE_POINTS + 1), PAGE);
    }

    /** The next of them. */
    Range after(LockName last) {
        return new Range(from, last.value(), before, most);
    }

    /** Sets the first five parameters of a question: the namespace, then what this says, in its order. */
    public void ask(PreparedStatement question, Namespace namespace) throws SQLException {
        question.setString(1, namespace.value());
        question.setString(2, from);
        question.setString(3, after);
        question.setString(4, before);
        question.setInt(5, most);
    }
}
