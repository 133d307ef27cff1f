package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Namespace;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.opentest4j.TestAbortedException;

/**
 * The conformance kit. The author of a provider extends this class, overrides {@link #configuration()} to open the store, and
 * runs it as a JUnit test. Each test checks one {@link Rule}, in a namespace of its own.
 *
 * <p>The other methods act on the store in ways that the kit cannot by itself. A rule whose method is not overridden is
 * reported as aborted with the reason, never as passed.
 *
 * <p>A run leaves a {@link ConformanceReport} in {@code target/conformance}, or where JUnit's configuration parameter {@value
 * #REPORTS} says.
 *
 * <p>Tests may run in parallel if JUnit is configured so; those that {@link #restart} the store or set its clock run alone
 * among all classes with an equal {@link #configuration}. A test whose call to the store never returns fails with the stack
 * of the call after ten minutes, and the run goes on without it.
 */
@ExtendWith(KitExtension.class)
@DisplayNameGeneration(KitExtension.RuleNames.class)
@Execution(ExecutionMode.CONCURRENT)
@TestMethodOrder(KitExtension.RuleOrder.class)
@SuppressWarnings("exports") // the types in annotations are for JUnit only
public abstract class LockStoreContract
        implements ExclusionRules,
                IdentityRules,
                LifecycleRules,
                ExpiryRules,
                MinimumHoldRules,
                TokenRules,
                RepetitionRules,
                BatchRules,
                OutageRules,
                ResourceRules,
                RenewalRules,
                LeaseRules,
                CallerRules,
                QueueRules,
                ClaimWindowRules,
                PlaceRules,
                QuietWaiterRules,
                NotificationRules,
                DeadWaiterRules,
                QueuedCallerRules,
                ListingRules,
                OperatorRules,
                ShareRules,
                ShareQueueRules,
                ProcessRules,
                ModelRules {

    /** The configuration parameter, or system property, that names the directory of the {@link ConformanceReport}. */
    public static final String REPORTS = "holdfast.conformance.directory";

    /**
     * The configuration parameter, or system property, for the number of random histories that each of the rules M records.
     * Without it, the speed of the store decides; the {@link ConformanceReport} has the number.
     */
    public static final String HISTORIES = "holdfast.conformance.histories";

    /** For subclasses. */
    protected LockStoreContract() {}

    /**
     * How the store is opened: {@code lock.provider} and the provider's own keys. The kit adds a namespace and, unless
     * {@code lock.lease} is set, a long lease and call time-out.
     */
    protected abstract Properties configuration();

    /** Whether other processes on this machine share the store by this configuration. True unless overridden. */
    protected boolean sharedBetweenProcesses() {
        return true;
    }

    /**
     * The longest wait for an event that must happen: 1 min, as other work may keep the machine from the store for many seconds.
     * A rule that passes never takes that long.
     */
    protected Duration patience() {
        return Duration.ofMinutes(1);
    }

    /** How long one test may take before its thread is interrupted. */
    Duration hangLimit() {
        return Duration.ofMinutes(10);
    }

    /** How long the interrupted thread of a test may take to end before it is abandoned. */
    Duration hangGrace() {
        return Duration.ofSeconds(10);
    }

    /** The seed of random commands. A new one for each test unless overridden; a failure prints it. */
    protected long seed() {
        return new SecureRandom().nextLong();
    }

    /**
     * The rules that this store is exempt from, each with the reason: a number as reports print it, such as {@code P8.7}, to a
     * text. They are not run; the report counts them as exempt and gives the reasons. None unless overridden. All rules fail
     * if a number is not that of a rule or a reason is blank.
     */
    protected Map<String, String> exemptions() {
        return Map.of();
    }

    /** Opens a second connection to the store, for the kit to break. */
    protected BreakableConnection breakableConnection() {
        throw notPossible("the kit cannot break a connection to this store: override breakableConnection()");
    }

    /**
     * Ends the store as abruptly as it can ever end, and starts it again with all that it had stored: leases, minimum holds,
     * tombstones, tokens and queues. The store may be unavailable for a while after that, for less than {@link #patience}. The kit
     * keeps calling it: a store that is never unavailable was not restarted, and fails.
     */
    protected void restart() {
        throw notPossible("the kit cannot restart this store: override restart()");
    }

    /**
     * Sets the clock of the store back by this much, or achieves the same effect by other means. No other test of the kit runs on
     * this store meanwhile.
     *
     * @param namespace the namespace of the test
     */
    protected void stepClockBack(Namespace namespace, Duration by) {
        throw notPossible("the kit cannot set the clock of this store: override stepClockBack()");
    }

    /**
     * Drops everything that is kept about unused names, as the store itself does in time, and nothing else.
     * The kit calls {@link #namesKept} afterwards.
     *
     * @param namespace the namespace of the test; other tests use other namespaces meanwhile, where nothing may be dropped early
     */
    protected void prune(Namespace namespace) {
        throw notPossible("the kit cannot prune this store: override prune()");
    }

    /**
     * The number of names of the namespace for which the store keeps anything: rows, keys, entries.
     *
     * @param namespace the namespace of the test
     */
    protected long namesKept(Namespace namespace) {
        throw notPossible("the kit cannot count what this store keeps: override namesKept()");
    }

    /**
     * The exception for an overridden method to throw if the store does not allow it: the test is reported as aborted. A test
     * that is aborted by any other exception is reported as not run.
     *
     * @param reason for the report
     */
    protected static TestAbortedException notPossible(String reason) {
        return new NotPossible(reason);
    }

    /** A rule cannot be checked on this store. Any other aborted test says nothing about the store. */
    static final class NotPossible extends TestAbortedException {
        private static final long serialVersionUID = 1L;

        NotPossible(String reason) {
            super(reason);
        }
    }
}
