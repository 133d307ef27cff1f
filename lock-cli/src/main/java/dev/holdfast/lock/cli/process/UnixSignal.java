package dev.holdfast.lock.cli.process;

import java.lang.reflect.Proxy;
import java.util.function.Consumer;

/** The signals that ask a process to end. */
public enum UnixSignal {
    /** The terminal was closed. */
    HUP(1),
    /** Ctrl-C. */
    INT(2),
    /** The default of {@code kill}. */
    TERM(15);

    private final int number;

    UnixSignal(int number) {
        this.number = number;
    }

    /** The exit status of a process that this signal ended. */
    public int exitStatus() {
        return 128 + number;
    }

    /**
     * From now on these signals call the listener, each on a thread of its own, instead of ending this process. A signal that
     * this process was started to ignore stays ignored.
     *
     * <p>Java's only API for this is {@code sun.misc.Signal}, which JEP 260 keeps exported. javac warns of each direct use, and
     * the warning cannot be suppressed; hence the reflection.
     */
    public static void listen(Consumer<UnixSignal> listener) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            for (UnixSignal signal : values()) {
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
