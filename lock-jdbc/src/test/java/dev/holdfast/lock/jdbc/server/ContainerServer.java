package dev.holdfast.lock.jdbc.server;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import dev.holdfast.lock.tck.faults.FreePort;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** A server in a container, on a port that stays the same when it is started again. */
final class ContainerServer implements PostgresServer {

    private static final int INSIDE = 5432;

    private final int port = FreePort.find();
    private final PostgreSQLContainer container;

    ContainerServer() {
        container = new PostgreSQLContainer(System.getProperty("lock.test.postgres.image", "postgres:15"))
                .withUsername("postgres")
                .withPassword("for tests")
                .withCommand(
                        "postgres",
                        "-c",
                        "log_line_prefix=" + LINE_PREFIX,
                        "-c",
                        "fsync=on") // which it would switch off
                .withCreateContainerCmdModifier(command -> Objects.requireNonNull(command.getHostConfig())
                        .withPortBindings(new PortBinding(
                                Ports.Binding.bindIpAndPort("127.0.0.1", port), new ExposedPort(INSIDE))));
        container.start();
    }

    @Override
    public String username() {
        return container.getUsername();
    }

    @Override
    public String password() {
        return container.getPassword();
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public boolean canFail() {
        return true;
    }

    @Override
    public void kill() {
        docker().killContainerCmd(container.getContainerId()).withSignal("QUIT").exec();
        docker().waitContainerCmd(container.getContainerId()).start().awaitStatusCode(1, TimeUnit.MINUTES);
    }

    @Override
    public void start() {
        docker().startContainerCmd(container.getContainerId()).exec();
        awaitAnswer();
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
