package dev.holdfast.lock.cli;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.cli.command.CannotRunException;
import dev.holdfast.lock.cli.command.Command;
import dev.holdfast.lock.cli.command.Signal;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** One {@code lock run}: waits for the lock, runs the command while it is held, gives the lock back. */
final class Run {

    private final Request request;
    private final Store store;
    private final Messages messages;
    private final Stop stop;
    /** Set while a command may run, and for good when the lock is lost. */
    private boolean keep;

    Run(Request request, Store store, Messages messages, Stop stop) {
        this.request = request;
        this.store = store;
        this.messages = messages;
        this.stop = stop;
    }

    /** Returns the exit status. */
    int status() {
        try {
            // A minimum hold would keep the lock from everybody else, though nothing ran here.
            Command.require(request.command().get(0));
            Locks locks = UnpackedDriver.gone(() -> store.open(messages));
            try {
                return under(acquire(locks), locks.provider());
            } finally {
                // A lock under which a command may still run is left to expire: the watcher ends the command before
                // that. A
                // lost one is nothing to give back, and a store that does not answer would only hold up the end.
                if (!keep) {
                    locks.close();
                }
            }
        } catch (LockTimeoutException e) {
            if (request.ifBusy() == IfBusy.SKIP) {
                messages.say(e.getMessage() + "; skipped");
                return 0;
            }
            return failed(ExitStatus.BUSY, e);
        } catch (LockUnavailableException | IOException e) {
            return failed(ExitStatus.UNAVAILABLE, e);
        } catch (LockConfigurationException e) {
            return failed(ExitStatus.CONFIGURATION, e);
        } catch (IllegalArgumentException e) {
            return failed(ExitStatus.USAGE, e);
        } catch (CannotRunException e) {
            return failed(e.status(), e);
        } catch (InterruptedException e) {
            return failed(ExitStatus.INTERNAL, e);
        }
    }

    /** A signal that came before the command started is the reason for whatever else went wrong. */
    private int failed(int status, Exception e) {
        Optional<Signal> signal = stop.received();
        if (signal.isEmpty()) {
            messages.say(e.getMessage());
        }
        return signal.map(Signal::status).orElse(status);
    }

    private Lease acquire(Locks locks) throws InterruptedException {
        return request.patience().isPresent()
                ? request.in(locks).acquire(request.patience().get())
                : request.in(locks).acquire();
    }

    /** Runs the command under a lease. However this ends, the command does not run any more, or the lock is kept. */
    int under(Lease lease, String provider) throws InterruptedException, CannotRunException, IOException {
        Duration length = length(lease);
        keep = true;
        Optional<Command> command;
        try {
            command = Command.start(
                    request.command(),
                    environment -> describe(lease, provider, environment),
                    lease::remaining,
                    () -> stop.received().isEmpty() && !lease.remaining().isZero(),
                    stop::started,
                    messages::say);
        } catch (CannotRunException | IOException e) {
            nothingRuns(lease);
            throw e;
        }
        if (command.isEmpty()) {
            Optional<Signal> early = stop.received();
            if (early.isEmpty()) {
                return lost("the lease was over before the command could start");
            }
            nothingRuns(lease);
            return early.get().status();
        }
        Optional<String> loss = watch(new Watch(lease, length), command.get());
        if (loss.isPresent()) {
            return lost(loss.get() + "; the command was ended");
        }
        keep = false;
        return released(lease) ? command.get().status() : lost("the lease was over before the command ended");
    }

    /** What just was granted may have been granted long ago, if this process was paused: it says too little then. */
    private Duration length(Lease lease) {
        Duration remaining = lease.remaining();
        return request.lease().filter(asked -> asked.compareTo(remaining) > 0).orElse(remaining);
    }

    private void nothingRuns(Lease lease) {
        keep = false;
        lease.close();
    }

    /** Whatever fails, no command is left that nobody watches. */
    private Optional<String> watch(Watch watch, Command command) throws InterruptedException {
        try {
            stop.forward(command::forward, command::send);
            return watch.over(command);
        } catch (InterruptedException | RuntimeException | Error e) {
            try {
                command.end(Duration.ZERO);
            } catch (InterruptedException | RuntimeException | Error second) {
                // Then it is the watcher's, which finds this process gone in a moment.
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    private void describe(Lease lease, String provider, Map<String, String> environment) {
        Environment.restore(environment);
        environment.put("HOLDFAST_NAME", lease.name());
        environment.put("HOLDFAST_TOKEN", Long.toString(lease.fencingToken()));
        environment.put("HOLDFAST_PROVIDER", provider);
    }

    /** Whether the lock was held until now. The command is over: that nobody answers changes nothing about its outcome. */
    private boolean released(Lease lease) {
        try {
            return lease.release();
        } catch (LockUnavailableException e) {
            messages.say(e.getMessage());
            return true;
        }
    }

    private int lost(String why) {
        keep = true;
        messages.say("lost '" + request.name() + "': " + why);
        return ExitStatus.LOST;
    }
}
