package dev.holdfast.lock.cli.command;

import java.lang.reflect.Proxy;
import java.util.function.Consumer;

/** The signals by which somebody asks for an end. */
public enum Signal {
    /** The terminal is gone. */
    HUP(1),
    /** Ctrl-C. */
    INT(2),
    /** What {@code kill} sends. */
    TERM(15);

    private final int number;

    Signal(int number) {
        this.number = number;
    }

    /** The exit status that says that a process died of this signal. */
    public int status() {
        return 128 + number;
    }

    /**
     * From now on calls the listener, on a thread of its own, instead of ending this process. A signal that this process
     * was started to ignore stays ignored.
     *
     * <p>The only door is {@code sun.misc.Signal}. It is exported for that (JEP 260), but javac warns of it in a way that
     * nothing can suppress; hence by reflection.
     */
    public static void listen(Consumer<Signal> listener) {
        try {
            Class<?> door = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            for (Signal signal : values()) {
                Object called = Proxy.newProxyInstance(
                        Signal.class.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
                            listener.accept(signal);
                            return null;
                        });
                door.getMethod("handle", door, handler)
                        .invoke(null, door.getConstructor(String.class).newInstance(signal.name()), called);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot listen to signals", e);
        }
    }
}
