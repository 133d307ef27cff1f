package dev.holdfast.lock.redis.waiting;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A process with some of the threads of a race. Reads the kind of lock, is {@link #READY} when all threads are, starts them
 * at the next line, says of each when it had the lock, and ends with its standard input at the latest. Arguments: the stock's
 * file, the first thread's number, the first number that is another's, and how many to warm up with.
 */
final class RacingProcess {

    static final String READY = "ready";
    static final String SEPARATOR = "\t";

    private RacingProcess() {}

    @SuppressWarnings("SystemOut") // a pipe to the process that started this one
    public static void main(String[] arguments) throws Exception {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Contestant.Kind kind = new Contestant.Kind(
                "of another process", List.of(orders.readLine().split(SEPARATOR)));
        Stock stock = Stock.in(Path.of(arguments[0]));
        try (Contestant contestant = kind.open()) {
            new Race(contestant, stock, 0, Integer.parseInt(arguments[3])).run();
            Race race = new Race(contestant, stock, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
            System.out.println(READY);
            if (orders.readLine() == null) {
                return;
            }
            endWith(orders);
            race.run().forEach(held -> System.out.println(held.number() + " " + held.from() + " " + held.until()));
        }
    }

    private static void endWith(BufferedReader orders) {
        Thread watcher = new Thread(() -> {
            try {
                while (orders.readLine() != null) {}
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                Runtime.getRuntime().halt(1);
            }
        });
        watcher.setDaemon(true);
        watcher.start();
    }
}
