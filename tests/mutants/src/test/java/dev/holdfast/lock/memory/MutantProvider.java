package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Opens the reference or a mutant, directly or through a connection that can be broken. */
public final class MutantProvider implements LockProvider {

    static final ConfigKey<String> KIND =
            ConfigKey.text("lock.mutant.kind", "the mutant").required();
    static final ConfigKey<String> CONNECTION =
            ConfigKey.text("lock.mutant.connection", "the connection to break").withDefaultText("direct");

    /** What tests that restart mutants, or want them to be up, lock. */
    static final String RESTARTS = "mutants";

    private static final Duration OPENING = Duration.ofSeconds(1);
    private static final Duration DOWN_TIME = Duration.ofMillis(100);

    /** The mutants that are being restarted. */
    private static final Set<Mutant> DOWN = ConcurrentHashMap.newKeySet();

    private static final Map<Mutant, Map<Namespace, MutatedSpace>> SPACES = new EnumMap<>(Mutant.class);

    static {
        for (Mutant mutant : Mutant.values()) {
            SPACES.put(mutant, new ConcurrentHashMap<>());
        }
    }

    /** For {@link java.util.ServiceLoader}. */
    public MutantProvider() {}

    @Override
    public String name() {
        return "mutant";
    }

    @Override
    public Set<ConfigKey<?>> keys() {
        return Set.of(KIND, CONNECTION);
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        Mutant mutant = Mutant.valueOf(config.get(KIND));
        LockStore store = direct(mutant, namespace);
        Optional<MemoryConnection> connection = config.find(CONNECTION).map(MemoryConnection::named);
        if (mutant != Mutant.OPENS_WITHOUT_A_CHECK) {
            Duration timeout = mutant == Mutant.HANGS_WHEN_OPENED ? Duration.ofDays(1) : OPENING;
            connection.ifPresent(each -> each.awaitConnection(timeout));
        }
        return unlessDown(
                mutant, mutant.mutate(connection.isPresent() ? connection.get().over(store) : store));
    }

    @Override
    public LockStore openExisting(Namespace namespace, Config config) {
        boolean elsewhere = Mutant.valueOf(config.get(KIND)) == Mutant.OPENS_EXISTING_ELSEWHERE;
        return open(elsewhere ? new Namespace("elsewhere") : namespace, config);
    }

    private static LockStore unlessDown(Mutant mutant, LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                if (DOWN.contains(mutant)) {
                    throw new IllegalStateException("the store is being restarted");
                }
                return super.execute(commands, timeout);
            }
        };
    }

    private static LockStore direct(Mutant mutant, Namespace namespace) {
        return switch (mutant) {
            case STATE_PER_STORE -> mutant.newSpace().open();
            case JOINS_NAMESPACE_AND_NAME -> joined(namespace);
            default -> space(mutant, namespace).open();
        };
    }

    /** A store whose space is shared by all namespaces. */
    private static LockStore joined(Namespace namespace) {
        LockStore store =
                space(Mutant.JOINS_NAMESPACE_AND_NAME, new Namespace("all")).open();
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(
                        commands.stream()
                                .map(command -> MutatedStores.renamed(command, name -> shortened(namespace + name)))
                                .toList(),
                        timeout);
            }
        };
    }

    /** Keeps long names distinct, so that only the joining is wrong. */
    private static String shortened(String joined) {
        return joined.codePointCount(0, joined.length()) <= 255
                ? joined
                : joined.substring(0, 30) + joined.hashCode() + "#" + joined.length();
    }

    static MutatedSpace space(Mutant mutant, Namespace namespace) {
        return SPACES.get(mutant).computeIfAbsent(namespace, anyName -> mutant.newSpace());
    }

    static void restart(Mutant mutant) {
        DOWN.add(mutant);
        SPACES.get(mutant).values().forEach(MutatedSpace::restarted);
        LockSupport.parkNanos(DOWN_TIME.toNanos());
        DOWN.remove(mutant);
    }
}
