package dev.holdfast.lock.cli;

import dev.holdfast.lock.spi.DurationText;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a duration as the configuration does, but none below zero. */
final class DurationOption implements ITypeConverter<Duration> {

    @Override
    public Duration convert(String text) {
        Duration duration;
        try {
            duration = DurationText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
        if (duration.isNegative()) {
            throw new TypeConversionException("'" + text + "' is negative; allowed is zero or more");
        }
        return duration;
    }
}
