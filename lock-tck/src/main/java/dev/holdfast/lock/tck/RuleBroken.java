package dev.holdfast.lock.tck;

import org.jspecify.annotations.Nullable;

/** An observation that contradicts the rule under test. */
class RuleBroken extends AssertionError {
    private static final long serialVersionUID = 1L;

    RuleBroken(String observation) {
        super(observation);
    }

    RuleBroken(String observation, @Nullable Throwable cause) {
        super(observation, cause);
    }

    /** The lines after the observation. Unless overridden, the latest calls. */
    String story(CallTrace trace) {
        return trace.text();
    }

    /** An observation with the calls that led to it. */
    static final class OfHistory extends RuleBroken {
        private static final long serialVersionUID = 1L;

        OfHistory(String observation) {
            super(observation);
        }

        @Override
        String story(CallTrace trace) {
            return "";
        }
    }

    /** The machine was too slow to show anything. The check is repeated; the rule is broken if it is always too slow. */
    static final class TooSlow extends RuleBroken {
        private static final long serialVersionUID = 1L;

        TooSlow(String observation) {
            super(observation);
        }
    }
}
