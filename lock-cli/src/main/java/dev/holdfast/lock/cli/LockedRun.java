package dev.holdfast.lock.cli;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.cli.output.Messages;
import dev.holdfast.lock.cli.process.ChildCommand;
import dev.holdfast.lock.cli.process.CommandStartException;
import dev.holdfast.lock.cli.process.LeaseMonitor;
import dev.holdfast.lock.cli.process.SignalRouter;
import dev.holdfast.lock.cli.process.UnixSignal;
import dev.holdfast.lock.spi.Share;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One {@code lock run}: acquires the lock, runs the command while it is held, and releases the lock. */
final class LockedRun {

    /**
     * The options of one run.
     *
     * @param name the lock's name
     * @param share the part of the lock that the run takes: exclusive, shared, or 1 of a number
     * @param waitTime the longest wait; empty for the configured one, which is unlimited by default
     * @param lease the lease; empty for the configured one
     * @param atLeast the minimum hold
     * @param skipIfBusy whether a busy lock counts as success
     * @param command the command and its arguments
     */
    record Options(
            String name,
            Share share,
            Optional<Duration> waitTime,
            Optional<Duration> lease,
            Duration atLeast,
            boolean skipIfBusy,
            List<String> command) {}

    /**
     * The property in which the launcher keeps the caller's LC_ALL: it gives Java one in which every argument can be passed on
     * unchanged.
     */
    private static final String CALLERS_LC_ALL = "holdfast.lc-all";

    private final Options options;
    private final StoreConfig config;
    private final Messages messages;
    private final SignalRouter signals;
    /** True while the command may run, and for good once the lock is lost: the lease is then left to expire. */
    private boolean abandonLease;

    LockedRun(Options options, StoreConfig config, Messages messages, SignalRouter signals) {
        this.options = options;
        this.config = config;
        this.messages = messages;
        this.signals = signals;
    }

    /** Returns the exit status. */
    int execute() {
        try {
            // Before the lock is acquired: with a minimum hold it would block others although no command ran.
            ChildCommand.requireExecutable(options.command().get(0));
            Locks locks = SqliteTempDir.whileOpening(() -> config.open(messages));
            try {
                requireReach(locks);
                return runUnder(acquire(locks), locks.provider());
            } finally {
                // If the command may still run, the watcher ends it before the lease expires. If the lock is lost,
                // there is nothing to release, and a store that does not answer would only delay the exit.
                if (!abandonLease) {
                    locks.close();
                }
            }
        } catch (LockTimeoutException e) {
            if (options.skipIfBusy()) {
                messages.print(e.getMessage() + "; skipped");
                return 0;
            }
            return fail(ExitStatus.BUSY, e);
        } catch (LockUnavailableException | IOException e) {
            return fail(ExitStatus.UNAVAILABLE, e);
        } catch (LockConfigurationException e) {
            return fail(ExitStatus.CONFIGURATION, e);
        } catch (IllegalArgumentException e) {
            return fail(ExitStatus.USAGE, e);
        } catch (CommandStartException e) {
            return fail(e.exitStatus(), e);
        } catch (InterruptedException e) {
            return fail(ExitStatus.INTERNAL, e);
        }
    }

    /** Locks in the memory of this process, which runs one command, exclude nothing. */
    private static void requireReach(Locks locks) {
        if (locks.provider().equals("memory")) {
            throw new LockConfigurationException(
                    "lock.provider=memory keeps locks in this process alone, and would exclude no other command: name a"
                            + " store in lock.properties, or use --local");
        }
    }

    /** A signal that arrived before the command started is the cause of any failure, and decides the status. */
    private int fail(int exitStatus, Exception e) {
        Optional<UnixSignal> signal = signals.received();
        if (signal.isEmpty()) {
            messages.print(e.getMessage());
        }
        return signal.map(UnixSignal::exitStatus).orElse(exitStatus);
    }

    private Lease acquire(Locks locks) throws InterruptedException {
        DistributedLock lock = lock(locks);
        if (options.lease().isPresent()) {
            lock = lock.withLease(options.lease().get());
        }
        lock = lock.withMinimumHold(options.atLeast());
        return options.waitTime().isPresent() ? lock.acquire(options.waitTime().get()) : lock.acquire();
    }

    private DistributedLock lock(Locks locks) {
        Share share = options.share();
        if (share.isExclusive()) {
            return locks.named(options.name());
        }
        try { // a reader is 1 of any number
            return locks.semaphore(options.name(), share.limit()).permits(share.permits());
        } catch (UnsupportedOperationException e) {
            throw new LockConfigurationException(
                    e.getMessage() + ": leave out --shared and --max, or name another store", e);
        }
    }

    /** Runs the command under a lease. However this method ends, the command has ended, or the lock is not released. */
    int runUnder(Lease lease, String provider) throws InterruptedException, CommandStartException, IOException {
        abandonLease = true;
        Optional<ChildCommand> command;
        try {
            command = ChildCommand.start(
                    options.command(),
                    environment -> prepare(environment, lease, provider),
                    lease::remaining,
                    () -> signals.received().isEmpty() && !lease.remaining().isZero(),
                    signals::commandStarted,
                    messages::print);
        } catch (CommandStartException | IOException e) {
            releaseUnused(lease);
            throw e;
        }
        if (command.isEmpty()) {
            Optional<UnixSignal> signal = signals.received();
            if (signal.isEmpty()) {
                return lost(provider, "the lease ended before the command could start; the command was not started");
            }
            releaseUnused(lease);
            return signal.get().exitStatus();
        }
        Optional<String> loss = monitor(new LeaseMonitor(lease), command.get());
        if (loss.isPresent()) {
            return lost(provider, loss.get() + "; the command was terminated");
        }
        abandonLease = false;
        return release(lease)
                ? command.get().exitStatus()
                : lost(
                        provider,
                        "the lease ended before the command; another process may have held the lock meanwhile");
    }

    /** Releases a lease under which no command ran: its minimum hold would block others for nothing. */
    private void releaseUnused(Lease lease) {
        abandonLease = false;
        try {
            lease.holdAtLeast(Duration.ZERO);
            lease.close();
        } catch (LockLostException e) {
            messages.print(e.getMessage());
        }
    }

    /** Monitors the command. Whatever fails here, no command is left running without a monitor. */
    private Optional<String> monitor(LeaseMonitor monitor, ChildCommand command) throws InterruptedException {
        try {
            signals.routeTo(command::forward, command::send);
            return monitor.await(command);
        } catch (InterruptedException | RuntimeException | Error e) {
            try {
                command.terminate(Duration.ZERO);
            } catch (InterruptedException | RuntimeException | Error second) {
                // The watcher ends the command, as this process is about to exit.
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    private static void prepare(Map<String, String> environment, Lease lease, String provider) {
        String lcAll = System.getProperty(CALLERS_LC_ALL);
        if (lcAll != null) {
            if (lcAll.isEmpty()) {
                environment.remove("LC_ALL");
            } else {
                environment.put("LC_ALL", lcAll);
            }
        }
        environment.put("HOLDFAST_NAME", lease.name());
        environment.put("HOLDFAST_TOKEN", Long.toString(lease.fencingToken()));
        environment.put("HOLDFAST_PROVIDER", provider);
    }

    /**
     * Releases the lock, and returns whether it was held until now. True if the store does not answer: the command has ended
     * under a valid lease, and its outcome stands.
     */
    private boolean release(Lease lease) {
        try {
            return lease.release();
        } catch (LockUnavailableException e) {
            messages.print(e.getMessage());
            return true;
        }
    }

    private int lost(String provider, String reason) {
        abandonLease = true;
        messages.print("lost '" + options.name() + "' in the " + provider + " store: " + reason);
        return ExitStatus.LOST;
    }
}
