package dev.holdfast.lock.jdbc.server;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import dev.holdfast.lock.tck.faults.FreePort;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

/** A server in a container. */
final class DatabaseContainer implements DatabaseInstance {

    private static final int PORT_OF_MARIADB = 3306;

    /** An image first makes the data, on a machine that may be slow. */
    private static final Duration FIRST_START = Duration.ofMinutes(5);

    private final int port = FreePort.find();
    private final GenericContainer<?> container;
    private final String signal;

    /**
     * @param inside the port on which the server listens in the container
     * @param signal what a crash is to this server
     */
    DatabaseContainer(GenericContainer<?> container, int inside, String signal) {
        this.signal = signal;
        this.container = container
                .withExposedPorts(inside)
                .withCreateContainerCmdModifier(create -> Objects.requireNonNull(create.getHostConfig())
                        .withPortBindings(new PortBinding(
                                Ports.Binding.bindIpAndPort("127.0.0.1", port), new ExposedPort(inside))));
    }

    /** A MariaDB or MySQL of an image that reads the environment variables of the official ones. */
    static DatabaseContainer ofMariaDb(String image, List<String> options) {
        Stream<String> common = Stream.of(
                "--skip-name-resolve",
                "--max-connections=200",
                "--innodb-buffer-pool-size=32M",
                "--loose-skip-log-bin",
                "--loose-mysqlx=OFF",
                "--loose-default-authentication-plugin=mysql_native_password");
        return new DatabaseContainer(
                new GenericContainer<>(image)
                        .withEnv("MARIADB_ROOT_PASSWORD", DatabaseProgram.PASSWORD)
                        .withEnv("MYSQL_ROOT_PASSWORD", DatabaseProgram.PASSWORD)
                        .withEnv("MYSQL_ROOT_HOST", "%")
                        .withCommand(Stream.concat(common, options.stream()).toArray(String[]::new))
                        .waitingFor(Wait.forListeningPort().withStartupTimeout(FIRST_START)),
                PORT_OF_MARIADB,
                "KILL");
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public void start() {
        if (container.getContainerId() == null) {
            container.start();
        } else {
            docker().startContainerCmd(container.getContainerId()).exec();
        }
    }

    @Override
    public boolean isAlive() {
        return container.isRunning();
    }

    @Override
    public void kill() {
        docker().killContainerCmd(container.getContainerId()).withSignal(signal).exec();
        docker().waitContainerCmd(container.getContainerId()).start().awaitStatusCode(1, TimeUnit.MINUTES);
    }

    @Override
    public void freeze() {
        docker().pauseContainerCmd(container.getContainerId()).exec();
    }

    @Override
    public void thaw() {
        docker().unpauseContainerCmd(container.getContainerId()).exec();
    }

    @Override
    public String log() {
        return container.getLogs();
    }

    @Override
    public void close() {
        container.stop();
    }

    private DockerClient docker() {
        return container.getDockerClient();
    }
}
