package dev.holdfast.lock.jdbc.schema;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** SQL in resource files. */
public final class SqlScripts {

    private static final String NAME = "-- name: ";

    private SqlScripts() {}

    /** The text of a resource in the package of a class. */
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

    /** The statements in a resource, each preceded by a comment {@code -- name: the-name}; by their names. */
    public static Map<String, String> readStatements(Class<?> home, String resource) {
        Map<String, String> statements = new HashMap<>();
        String text = read(home, resource);
        for (int start = text.indexOf(NAME); start >= 0; ) {
            int line = text.indexOf('\n', start);
            int end = text.indexOf(NAME, line);
            statements.put(
                    text.substring(start + NAME.length(), line).strip(),
                    text.substring(line, end < 0 ? text.length() : end).strip());
            start = end;
        }
        return Map.copyOf(statements);
    }
}
