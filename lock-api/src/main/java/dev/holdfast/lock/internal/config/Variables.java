package dev.holdfast.lock.internal.config;

import dev.holdfast.lock.spi.support.Misspelling;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The environment variables that are settings. One that looks like a setting but is not one is a mistake, as in a file. */
final class Variables {

    private static final String BEGINNING = "LOCK_";

    /** Names the file for the command line, whose commands inherit it. */
    private static final String OF_COMMAND_LINE = "LOCK_CONFIG";

    /** At most two typing errors: beyond that, a name in other letters is another program's. */
    private static final int TYPO = 2;

    /** Variables that Kubernetes sets in every container for a service whose name begins with "lock". */
    private static final Pattern OF_SERVICE =
            Pattern.compile("LOCK(_\\w+)?_(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT_\\d+_(TCP|UDP|SCTP)(_\\w+)?)");

    private static final Pattern ADDRESS_OF_SERVICE = Pattern.compile("(tcp|udp|sctp)://\\S+");

    private final TreeSet<String> known = new TreeSet<>();

    /** @param keys that are known */
    Variables(Collection<String> keys) {
        keys.forEach(key -> known.add(Keys.inEnvironment(key)));
        known.add(OF_COMMAND_LINE);
    }

    /** What is wrong with a variable of this name; empty for a known one, and for one that has nothing to do with Holdfast. */
    Optional<String> complaint(String name, String value) {
        String meant = Keys.inEnvironment(name);
        if (known.contains(name) || !meant.startsWith(BEGINNING) || isOfService(name, value)) {
            return Optional.empty();
        }
        String nearest = known.stream()
                .min(Comparator.comparingInt(each -> Misspelling.distance(meant, each)))
                .orElseThrow();
        if (!name.startsWith(BEGINNING) && Misspelling.distance(meant, nearest) > TYPO) {
            return Optional.empty();
        }
        return Optional.of("unknown environment variable " + name + "; did you mean " + nearest
                + "? If it belongs to another program, unset it for this one. Known with the providers found: "
                + String.join(", ", known));
    }

    private static boolean isOfService(String name, String value) {
        return OF_SERVICE.matcher(name).matches()
                || (name.endsWith("_PORT") && ADDRESS_OF_SERVICE.matcher(value).matches());
    }
}
