package dev.holdfast.lock.redis.server;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the configuration of a server says, line by line. */
record Directives(List<String> lines) {

    /** A server that keeps all it has said yes to, and saves nothing in between. */
    static Directives standalone() {
        return new Directives(List.of(
                "protected-mode no",
                "save \"\"",
                "appendonly yes",
                "appendfsync always",
                "repl-diskless-sync yes",
                "repl-diskless-sync-delay 0"));
    }

    Directives and(String... more) {
        return new Directives(Stream.concat(lines.stream(), Arrays.stream(more)).toList());
    }

    /** The value of the last directive of this name. */
    Optional<String> value(String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> line.substring(name.length() + 1).strip())
                .reduce((earlier, later) -> later);
    }

    /** The same as arguments of {@code redis-server}. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        for (String line : lines) {
            String[] words = line.split(" ", -1);
            arguments.add("--" + words[0]);
            Arrays.stream(words)
                    .skip(1)
                    .map(word -> word.equals("\"\"") ? "" : word)
                    .forEach(arguments::add);
        }
        return arguments;
    }
}
