package dev.holdfast.lock.spi.environment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/** The name of this process that a store shows as the holder; nothing is decided on it. */
public final class HolderName {

    private static final Path HOST_NAME = Path.of("/etc/hostname");

    private HolderName() {}

    /** The process id and the host, from sources that need no network look-up. */
    public static String ofThisProcess() {
        String host = Optional.ofNullable(System.getenv("HOSTNAME"))
                .or(() -> Optional.ofNullable(System.getenv("COMPUTERNAME")))
                .or(HolderName::fromFile)
                .filter(name -> !name.isBlank())
                .orElse("unknown-host");
        String owner = ProcessHandle.current().pid() + "@" + host.strip();
        return owner.length() <= 255 ? owner : owner.substring(0, 255);
    }

    private static Optional<String> fromFile() {
        try {
            return Optional.of(Files.readString(HOST_NAME));
        } catch (IOException e) {
            LoggerFactory.getLogger(HolderName.class).debug("no host name in {}", HOST_NAME, e);
            return Optional.empty();
        }
    }
}
