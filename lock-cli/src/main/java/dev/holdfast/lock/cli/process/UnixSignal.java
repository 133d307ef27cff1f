package dev.holdfast.lock.cli.process;

import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.Consumer;

/** The signals that ask a process to end. */
public enum UnixSignal {
    /** The terminal was closed. */
    HUP(1),
    /** Ctrl-C. */
    INT(2),
    /** What programs make of it. */
    USR1(10),
    /** What programs make of it. */
    USR2(12),
    /** A timer has ended. */
    ALRM(14),
    /** The default of {@code kill}. */
    TERM(15),
    /** A stopped process continues; ignored by a process that does not listen to it. */
    CONT(18),
    /** The terminal's size has changed; ignored by a process that does not listen to it. */
    WINCH(28);

    private final int number;

    UnixSignal(int number) {
        this.number = number;
    }

    /** Whether a process that does not listen to this signal is ended by it. */
    boolean ends() {
        return this != CONT && this != WINCH;
    }

    /** Whether a terminal sends this signal to all processes in its foreground. */
    boolean isOfTerminal() {
        return this == INT || this == WINCH;
    }

    /** The exit status of a process that this signal ended. */
    public int exitStatus() {
        return 128 + number;
    }

    /**
     * Makes signals call the listener, each on its own thread, instead of ending this process. A signal that
     * this process was started to ignore stays ignored.
     *
     * <p>Java's only API for this is {@code sun.misc.Signal}, which JEP 260 keeps exported. javac warns about each direct use,
     * and the warning cannot be suppressed; hence the reflection.
     */
    public static void listen(Set<UnixSignal> signals, Consumer<UnixSignal> listener) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            for (UnixSignal signal : signals) {
                if (ProcFs.ignores(signal.number)) {
                    continue;
                }
                Object handler = Proxy.newProxyInstance(
                        UnixSignal.class.getClassLoader(), new Class<?>[] {handlerType}, (self, method, arguments) -> {
                            listener.accept(signal);
                            return null;
                        });
                signalType
                        .getMethod("handle", signalType, handlerType)
                        .invoke(null, signalType.getConstructor(String.class).newInstance(signal.name()), handler);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot listen to signals", e);
        }
    }
}
