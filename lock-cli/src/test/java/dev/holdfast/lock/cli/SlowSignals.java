package dev.holdfast.lock.cli;

import java.util.List;
import java.util.concurrent.Callable;

/** A doctor misses signals if the machine stands still for as long as it listens for one: then it is asked again. */
final class SlowSignals {

    private static final int MOST = 3;

    private SlowSignals() {}

    /** What a doctor found. */
    @FunctionalInterface
    interface Findings<T> {
        String of(T asked) throws Exception;
    }

    /** The first answer in which more is wrong than that, or nothing; or else the last. */
    static <T> T repeated(Callable<T> doctor, Findings<T> findings) throws Exception {
        for (int number = 1; ; number++) {
            T asked = doctor.call();
            if (number == MOST || !isAllThatIsWrong(findings.of(asked))) {
                return asked;
            }
            System.out.println("asked again, as signals were slow:\n" + findings.of(asked));
        }
    }

    private static boolean isAllThatIsWrong(String found) {
        List<String> wrong = found.lines()
                .filter(line -> line.startsWith("ERROR") || line.startsWith("WARNING"))
                .toList();
        return wrong.size() == 1
                && wrong.get(0).matches("WARNING +signals +(a waiter was not told|listening did not begin) .*");
    }
}
