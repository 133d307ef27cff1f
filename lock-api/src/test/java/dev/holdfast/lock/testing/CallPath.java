package dev.holdfast.lock.testing;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The calls of Holdfast's own code in a stack trace, outermost first, as {@code Type.method}: what a reader passes on the way from
 * the caller to the store or the socket.
 */
public record CallPath(List<String> calls) {

    private static final String OURS = "dev.holdfast.lock.";

    /** The calls of this thread that are not the caller's own class. */
    public static CallPath ofThisThread(Class<?> test) {
        return of(Thread.currentThread(), test);
    }

    /** The calls of a thread, such as one that waits for a reply. */
    public static CallPath of(Thread thread, Class<?> test) {
        StackTraceElement[] frames = thread.getStackTrace();
        Collections.reverse(Arrays.asList(frames));
        return new CallPath(Arrays.stream(frames)
                .filter(frame -> frame.getClassName().startsWith(OURS))
                .filter(frame -> !frame.getClassName().startsWith(CallPath.class.getName()))
                .filter(frame -> !frame.getClassName().startsWith(test.getName()))
                .map(frame -> frame.getClassName()
                                .substring(frame.getClassName().lastIndexOf('.') + 1) + "." + frame.getMethodName())
                .toList());
    }

    /** From this call on. */
    public CallPath from(String call) {
        int first = calls.indexOf(call);
        if (first < 0) {
            throw new AssertionError(call + " is not among " + calls);
        }
        return new CallPath(calls.subList(first, calls.size()));
    }
}
