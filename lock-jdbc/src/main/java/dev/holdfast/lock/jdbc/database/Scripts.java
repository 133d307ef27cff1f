package dev.holdfast.lock.jdbc.database;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The statements that make the tables.
 *
 * @param home a class beside them
 * @param names of the files, in their order
 */
public record Scripts(Class<?> home, List<String> names) {

    /** Where they are within the jar, for people. */
    public String folder() {
        return home.getPackageName().replace('.', '/');
    }

    /** The text of one of them. */
    public String text(String name) {
        return read(home, name);
    }

    /** The text of a resource beside a class. */
    public static String read(Class<?> home, String name) {
        try (InputStream in = home.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + name + " beside " + home + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + name + " beside " + home, e);
        }
    }
}
