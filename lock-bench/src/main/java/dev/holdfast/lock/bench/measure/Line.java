package dev.holdfast.lock.bench.measure;

import com.google.gson.Gson;
import java.util.Optional;
import java.util.stream.Stream;

/** An order or an answer as a line of text: its name, and the rest as JSON. */
final class Line {

    /** Opens the gate. */
    static final String GO = "Go";

    private static final Gson GSON = new Gson();

    private Line() {}

    static String of(Object said) {
        return said.getClass().getSimpleName() + " " + GSON.toJson(said);
    }

    static Order order(String line) {
        return read(line, Order.class).orElseThrow(() -> new IllegalArgumentException("no order: " + line));
    }

    static Answer answer(String line) {
        return read(line, Answer.class).orElseThrow(() -> new IllegalArgumentException("no answer: " + line));
    }

    private static <T> Optional<T> read(String line, Class<T> kind) {
        String[] words = line.split(" ", 2);
        return Stream.of(kind.getPermittedSubclasses())
                .filter(each -> words.length == 2 && each.getSimpleName().equals(words[0]))
                .findFirst()
                .map(each -> kind.cast(GSON.fromJson(words[1], each)));
    }
}
