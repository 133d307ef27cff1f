package dev.holdfast.lock.tck;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.DurationText;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;

/** The settings of a store under test, for the rules that ask it without an engine in between. */
final class KitConfig implements Config {

    private final Properties properties;

    KitConfig(Properties properties) {
        this.properties = properties;
    }

    @Override
    public Optional<String> text(String key) {
        return Optional.ofNullable(properties.getProperty(key)).map(String::strip);
    }

    @Override
    public Optional<Duration> duration(String key, Duration least) {
        String allowed = DurationText.ALLOWED + ", at least " + DurationText.format(least);
        return text(key).map(text -> {
            try {
                Duration duration = DurationText.parse(text);
                if (duration.compareTo(least) >= 0) {
                    return duration;
                }
            } catch (IllegalArgumentException e) {
                throw new LockConfigurationException(message(key, allowed), e);
            }
            throw invalid(key, allowed);
        });
    }

    @Override
    public int integer(String key, int otherwise, int least, int most) {
        String allowed = "a whole number from " + least + " to " + most;
        try {
            int value = text(key).map(Integer::valueOf).orElse(otherwise);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new LockConfigurationException(message(key, allowed), e);
        }
        throw invalid(key, allowed);
    }

    @Override
    public boolean flag(String key, boolean otherwise) {
        return switch (text(key).orElse(Boolean.toString(otherwise))) {
            case "true" -> true;
            case "false" -> false;
            default -> throw invalid(key, "true or false");
        };
    }

    @Override
    public Duration callTimeout() {
        return duration("lock.call-timeout", Duration.ofMillis(1)).orElse(Duration.ofSeconds(10));
    }

    @Override
    public LockConfigurationException invalid(String key, String allowed) {
        return new LockConfigurationException(message(key, allowed));
    }

    private String message(String key, String allowed) {
        return key + "=" + text(key).orElse("(not set)") + " is not allowed; allowed is " + allowed;
    }
}
