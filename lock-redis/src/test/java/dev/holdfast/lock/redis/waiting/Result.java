package dev.holdfast.lock.redis.waiting;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What came of a race: no two were ever inside, and nobody was left out.
 *
 * @param total from the start to the last release, ms
 * @param longestWait from the start to the grant, ms
 * @param slowest the number of the thread that waited so long
 */
record Result(double total, double longestWait, int slowest) {

    /** How many threads each process has had the lock with before. */
    static final int WARM_UP = 50;

    /** A race of threads of this process. */
    static Result inOneProcess(Contestant.Kind kind, int threads) throws Exception {
        try (Contestant contestant = kind.open()) {
            Stock stock = Stock.here();
            stock.set(WARM_UP + threads);
            new Race(contestant, stock, 0, WARM_UP).run();
            Race race = new Race(contestant, stock, 0, threads);
            long start = System.nanoTime();
            return of(start, race.run(), threads, stock);
        }
    }

    /** A race of processes with so many threads each. */
    static Result inProcesses(Contestant.Kind kind, int processes, int each) throws Exception {
        Path file = Files.createTempFile("holdfast-stock-", null);
        List<Process> children = new ArrayList<>();
        try {
            Stock stock = Stock.in(file);
            stock.set(processes * (WARM_UP + each));
            List<Writer> orders = new ArrayList<>();
            List<BufferedReader> said = new ArrayList<>();
            for (int process = 0; process < processes; process++) {
                Process child = start(file, process * each, (process + 1) * each);
                children.add(child);
                orders.add(child.outputWriter(StandardCharsets.UTF_8));
                said.add(new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8)));
            }
            for (Writer to : orders) {
                order(to, String.join(RacingProcess.SEPARATOR, kind.words()));
            }
            for (BufferedReader from : said) {
                if (!RacingProcess.READY.equals(from.readLine())) {
                    throw new IllegalStateException("a process did not start");
                }
            }
            Files.delete(file); // all of them have it open
            long start = System.nanoTime();
            for (Writer to : orders) {
                order(to, "go");
            }
            List<Race.Held> holds = new ArrayList<>();
            for (BufferedReader from : said) {
                from.lines().map(line -> line.split(" ")).forEach(words -> {
                    holds.add(new Race.Held(
                            Integer.parseInt(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2])));
                });
            }
            return of(start, holds, processes * each, stock);
        } finally {
            for (Process child : children) {
                child.destroyForcibly().waitFor();
            }
            Files.deleteIfExists(file);
        }
    }

    private static Process start(Path file, int from, int to) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RacingProcess.class.getName(),
                        file.toString(),
                        Integer.toString(from),
                        Integer.toString(to),
                        Integer.toString(WARM_UP))
                .redirectError(Redirect.INHERIT)
                .start();
    }

    private static void order(Writer to, String line) throws IOException {
        to.write(line + "\n");
        to.flush();
    }

    private static Result of(long start, List<Race.Held> holds, int threads, Stock stock) {
        if (holds.size() != threads || stock.left() != 0) {
            throw new IllegalStateException("of " + threads + " threads " + holds.size() + " had the lock, and "
                    + stock.left() + " items are left");
        }
        Race.Held slowest =
                holds.stream().max(Comparator.comparingLong(Race.Held::from)).orElseThrow();
        long last = holds.stream().mapToLong(Race.Held::until).max().orElseThrow();
        return new Result((last - start) / 1e6, (slowest.from() - start) / 1e6, slowest.number());
    }
}
