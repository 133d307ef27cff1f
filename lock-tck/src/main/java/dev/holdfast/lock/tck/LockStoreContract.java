package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Namespace;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.opentest4j.TestAbortedException;

/**
 * What every store must pass. The author of a provider extends this class, says in {@link #configuration()} how the store
 * is opened, and runs it as a JUnit test. Each test checks one {@link Rule}, in a namespace of its own.
 *
 * <p>The other methods say how to do to the store what the kit cannot do by itself. Whatever is not overridden is reported
 * as aborted with the reason, never as passed.
 *
 * <p>At the end a {@link ConformanceReport} is written.
 *
 * <p>A {@link ConformanceReport} is left in {@code target/conformance}, or where JUnit's configuration parameter {@value
 * #REPORTS} says.
 *
 * <p>Tests may run in parallel, where JUnit is configured so; those that {@link #restart} the store or set its clock
 * have it to themselves, among all classes with an equal {@link #configuration}.
 */
@ExtendWith(KitExtension.class)
@DisplayNameGeneration(RuleNames.class)
@Execution(ExecutionMode.CONCURRENT)
@TestMethodOrder(RuleOrder.class)
@Timeout(120)
@SuppressWarnings("exports") // what JUnit is told by annotations is nobody else's concern
public abstract class LockStoreContract
        implements ExclusionRules,
                IdentityRules,
                CallRules,
                ExpiryRules,
                MinimumHoldRules,
                TokenRules,
                RepetitionRules,
                BatchRules,
                OutageRules,
                GrowthRules,
                RenewalRules,
                LeaseRules,
                WaitingRules,
                QueueRules,
                ReservationRules,
                SignalRules,
                TurnRules,
                SightRules,
                ProcessRules {

    /** The configuration parameter, or system property, that names the directory of the {@link ConformanceReport}. */
    public static final String REPORTS = "holdfast.conformance.directory";

    /** For subclasses. */
    protected LockStoreContract() {}

    /** How the store is opened: {@code lock.provider} and the provider's own keys. The kit adds a namespace. */
    protected abstract Properties configuration();

    /** Whether other processes on this machine share the store by this configuration. True unless overridden. */
    protected boolean sharedBetweenProcesses() {
        return true;
    }

    /** How long to wait for what must happen sooner or later: 20 s. Passing never takes that long. */
    protected Duration patience() {
        return Duration.ofSeconds(20);
    }

    /** What random schedules are made from. Another one each time unless overridden; printed when a test fails. */
    protected long seed() {
        return new SecureRandom().nextLong();
    }

    /**
     * The rules that this store is not held to, each with the reason: a number as reports print it, such as {@code P8.7}, to a
     * text. They are not run; the report counts them as exempt and gives the reasons. None unless overridden. What is no rule,
     * or has no reason, fails all rules.
     */
    protected Map<String, String> exemptions() {
        return Map.of();
    }

    /** A way to the store that the kit may break. */
    protected BreakableWay breakableWay() {
        throw notPossible("nothing breaks the way to this store: override breakableWay()");
    }

    /**
     * Ends the store as roughly as it ever may, and starts it again with what it had stored. It may be unavailable for a while
     * after that, for less than {@link #patience}. The kit asks all the while: a store that answers each time was not restarted,
     * and fails.
     */
    protected void restart() {
        throw notPossible("nothing restarts this store: override restart()");
    }

    /**
     * Sets the clock of the store back by this much, or does what is the same to it. No other test of the kit runs on this store
     * meanwhile.
     *
     * @param namespace what the test uses
     */
    protected void stepClockBack(Namespace namespace, Duration by) {
        throw notPossible("nothing sets the clock of this store: override stepClockBack()");
    }

    /**
     * Drops everything that is kept about names that are not in use, as the store does by itself in time, and nothing else. The
     * kit looks at {@link #namesKept} afterwards.
     *
     * @param namespace what the test uses; other tests use other namespaces meanwhile, in which it drops nothing early
     */
    protected void prune(Namespace namespace) {
        throw notPossible("nothing prunes this store: override prune()");
    }

    /**
     * How many names of the namespace anything is kept about: rows, keys, entries.
     *
     * @param namespace what the test uses
     */
    protected long namesKept(Namespace namespace) {
        throw notPossible("nobody counts what this store keeps: override namesKept()");
    }

    /**
     * What to throw if something cannot be done to this store: the test is reported as aborted. A test that is aborted in any
     * other way is reported as not run.
     *
     * @param reason what the report says
     */
    protected static TestAbortedException notPossible(String reason) {
        return new NotPossible(reason);
    }
}
