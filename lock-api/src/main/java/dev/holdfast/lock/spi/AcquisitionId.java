package dev.holdfast.lock.spi;

import java.util.HexFormat;

/**
 * 128 random bits that stand for one acquisition at the store: its request, its ticket and its holder in one. Made by the
 * engine, never used twice, and never a host, a process or a thread. Whoever asks again with the same id asks the same
 * question again.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record AcquisitionId(long high, long low) {

    private static final HexFormat HEXADECIMAL = HexFormat.of();

    /** 32 lower-case hexadecimal digits. */
    @Override
    public String toString() {
        return HEXADECIMAL.toHexDigits(high) + HEXADECIMAL.toHexDigits(low);
    }
}
