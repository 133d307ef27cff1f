/** The command line: {@code lock run NAME -- command}, and the operator's side of it. */
module dev.holdfast.lock.cli {
    requires com.google.gson;
    requires dev.holdfast.lock;
    requires info.picocli;
    requires jdk.unsupported;
    requires org.slf4j;
    requires static org.jspecify;

    opens dev.holdfast.lock.cli to
            info.picocli;

    provides org.slf4j.spi.SLF4JServiceProvider with
            dev.holdfast.lock.cli.log.StderrLogging;
}
