package dev.holdfast.lock.cli;

import dev.holdfast.lock.spi.DurationText;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a duration as the configuration does, and rejects negative ones. */
final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        Duration duration;
        try {
            duration = DurationText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
        if (duration.isNegative()) {
            throw new TypeConversionException("'" + text + "' is negative; expected zero or more");
        }
        return duration;
    }
}
