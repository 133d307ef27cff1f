/** The command line: {@code lock run NAME -- command}. */
module dev.holdfast.lock.cli {
    requires dev.holdfast.lock;
    requires info.picocli;
    requires jdk.unsupported;
    requires static org.jspecify;

    opens dev.holdfast.lock.cli to
            info.picocli;
}
