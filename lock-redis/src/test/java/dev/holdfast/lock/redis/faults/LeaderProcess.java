package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.LeaderElection;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.tck.internal.JavaCommand;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.LocksOpener;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;

/** A process that campaigns until its input ends, and records for how long it leads. */
@SuppressWarnings("SystemOut") // a pipe to the process that started this one
final class LeaderProcess {

    static final String CAMPAIGNS = "campaigns";

    private static final long MOMENT = 2_000_000;

    private LeaderProcess() {}

    /** Starts a process; its name is that of its holds in the history. */
    static Process start(String name, Path directory, History history, Map<String, String> settings)
            throws IOException {
        Properties properties = new Properties();
        properties.putAll(settings);
        Path file = directory.resolve(name + ".properties");
        try (Writer to = Files.newBufferedWriter(file)) {
            properties.store(to, null);
        }
        List<String> arguments = List.of(file.toString(), history.fileOf(name).toString());
        return new ProcessBuilder(JavaCommand.of(LeaderProcess.class, directory, arguments))
                .redirectError(directory.resolve(name + ".errors").toFile())
                .start();
    }

    /** Arguments: the settings of the locks, and the file for its claims. */
    public static void main(String[] arguments) throws Exception {
        try (Claims claims = Claims.to(Path.of(arguments[1]));
                Locks locks = LocksOpener.open(Path.of(arguments[0]));
                LeaderElection election = locks.elect("leader", lease -> lead(lease, claims))) {
            System.out.println(CAMPAIGNS);
            while (System.in.read() >= 0) {
                // nothing is sent but the end of the stream
            }
            System.out.println(election);
        }
    }

    /** Until it is interrupted by the end of the leadership. */
    private static void lead(Lease lease, Claims claims) {
        long claim = claims.granted(lease);
        while (!Thread.currentThread().isInterrupted() && claims.isHeld(claim, lease)) {
            LockSupport.parkNanos(MOMENT);
        }
    }
}
