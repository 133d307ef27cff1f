package dev.holdfast.lock.testing;

import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;

/**
 * A lock held from one instant to another, as its holder believed, on the clock that all processes of a machine share.
 *
 * @param holder the process or thread that held it
 * @param name of the lock
 * @param share the share that it had of the lock
 * @param token the fencing token
 * @param asked when the holder asked for the lock, as {@link System#nanoTime()}; {@code from} if that is not known
 * @param from when the holder knew of the grant
 * @param until the last instant at which it was known to be held; less than {@code from} if the holder never saw it held
 */
public record Hold(String holder, String name, Share share, long token, long asked, long from, long until) {

    /** A hold of an exclusive lock that does not tell when it was asked for. */
    public Hold(String holder, String name, long token, long from, long until) {
        this(holder, name, token, from, from, until);
    }

    /** A hold of an exclusive lock. */
    public Hold(String holder, String name, long token, long asked, long from, long until) {
        this(holder, name, Share.EXCLUSIVE, token, asked, from, until);
    }

    /** Whether the lock was handed off within a process, without a request to the store. */
    boolean isHandedOff() {
        return token % LockReply.Granted.HOLDERS_PER_GRANT != 0;
    }
}
