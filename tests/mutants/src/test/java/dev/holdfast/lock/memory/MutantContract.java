package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.BreakableConnection;
import dev.holdfast.lock.tck.LockStoreContract;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Properties;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** The kit on one mutant, which a configuration parameter selects. Run by {@link MutantsTest} and {@link WholeKitTest} only. */
@ExtendWith(MutantContract.Choice.class)
class MutantContract extends LockStoreContract {

    private final Mutant mutant;

    MutantContract(Mutant mutant) {
        this.mutant = mutant;
    }

    @Override
    protected Properties configuration() {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "mutant");
        properties.setProperty(MutantProvider.KIND.name(), mutant.name());
        return properties;
    }

    @Override
    protected boolean sharedBetweenProcesses() {
        return mutant == Mutant.PRIVATE_TO_ITS_PROCESS || mutant == Mutant.LEAVES_THREADS;
    }

    /** Short for mutants, as most of it is spent on what a mutant never does. */
    @Override
    protected Duration patience() {
        return mutant.broken().isEmpty() ? super.patience() : Duration.ofSeconds(5);
    }

    @Override
    protected long seed() {
        return 20261121;
    }

    @Override
    protected BreakableConnection breakableConnection() {
        return new MemoryConnection(configuration());
    }

    @Override
    protected void restart() {
        if (mutant != Mutant.RESTARTS_NOTHING) {
            MutantProvider.restart(mutant);
        }
    }

    @Override
    protected void stepClockBack(Namespace namespace, Duration by) {
        MemorySpace space = MutantProvider.space(mutant, namespace);
        InstantSource before = space.clock();
        space.useClock(() -> before.instant().minus(by));
    }

    @Override
    protected void prune(Namespace namespace) {
        MutantProvider.space(mutant, namespace).pruned();
    }

    @Override
    protected long namesKept(Namespace namespace) {
        if (mutant == Mutant.COUNTS_ALWAYS_ONE) {
            return 1;
        }
        return MutantProvider.space(mutant, namespace).namesInUse();
    }

    /** Injects the mutant into the constructor. */
    static final class Choice implements ParameterResolver {
        static final String PARAMETER = "holdfast.mutant";

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Mutant.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return Mutant.valueOf(context.getConfigurationParameter(PARAMETER).orElseThrow());
        }
    }
}
