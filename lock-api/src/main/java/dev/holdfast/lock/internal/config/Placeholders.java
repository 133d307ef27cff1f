package dev.holdfast.lock.internal.config;

import dev.holdfast.lock.LockConfigurationException;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Replaces {@code ${NAME}} by the environment variable NAME, whose value is taken as it is. There is no other form. */
final class Placeholders {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}]*)(}?)");

    /** The beginning of a placeholder in the language of a shell or of Spring, up to a default that may be secret. */
    private static final Pattern NAME = Pattern.compile("\\w*");

    private final Map<String, String> environment;

    Placeholders(Map<String, String> environment) {
        this.environment = environment;
    }

    /** A value without placeholders, and an origin that names the variables it was read from. */
    record Text(String value, String origin) {}

    /** @throws LockConfigurationException if a variable is not set, or it is another kind of placeholder */
    Text expand(String key, String value, String origin) {
        Set<String> read = new LinkedHashSet<>();
        String expanded = PLACEHOLDER.matcher(value).replaceAll(match -> {
            String name = match.group(1);
            String replacement = match.group(2).isEmpty() ? null : environment.get(name);
            if (replacement == null) {
                throw new LockConfigurationException(key + " (" + origin + ") " + complaint(key, name, match.group(2)));
            }
            read.add(name);
            return Matcher.quoteReplacement(replacement);
        });
        return new Text(
                expanded,
                read.isEmpty()
                        ? origin
                        : origin + ", by the environment variable" + (read.size() > 1 ? "s " : " ")
                                + String.join(", ", read));
    }

    private static String complaint(String key, String name, String end) {
        Matcher plain = NAME.matcher(name);
        if (!end.isEmpty() && !name.isEmpty() && plain.matches()) {
            return "reads the environment variable " + name + ", which is not set";
        }
        plain.reset();
        String beginning = plain.lookingAt() ? plain.group() : "";
        return "contains ${" + beginning + (end.isEmpty() ? " without a }" : "…}")
                + "; expected ${NAME}, the value of an"
                + " environment variable, without a default. If the value itself has a ${ in it, set it by "
                + Keys.inEnvironment(key) + " in the environment, where nothing is replaced";
    }
}
