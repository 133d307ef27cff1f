package dev.holdfast.lock.redis.testserver;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import dev.holdfast.lock.tck.faults.FreePort;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.MountableFile;
import redis.clients.jedis.JedisClientConfig;

/** A server in a container, on a port that is the same inside and outside, and when it is started again. */
final class ContainerServer implements RedisServer {

    private final int port = FreePort.find();
    private final Directives directives;
    private final GenericContainer<?> container;

    ContainerServer(Directives directives) {
        this.directives = directives;
        List<String> arguments = directives.on(port).and("bind 0.0.0.0").arguments();
        container = new GenericContainer<>(System.getProperty("lock.test.redis.image", "redis:7.0"))
                .withExposedPorts(port)
                .withCommand(arguments.toArray(String[]::new))
                .withCreateContainerCmdModifier(create -> Objects.requireNonNull(
                                create.withEntrypoint("redis-server").getHostConfig())
                        .withPortBindings(new PortBinding(
                                Ports.Binding.bindIpAndPort("127.0.0.1", port), new ExposedPort(port))));
        Stream.of("tls-cert-file", "tls-key-file")
                .flatMap(name -> directives.value(name).stream())
                .forEach(path -> container.withCopyFileToContainer(MountableFile.forHostPath(path, 0644), path));
        container.start();
        awaitAnswer();
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public String uri() {
        return directives.uri(port);
    }

    @Override
    public JedisClientConfig clientConfig() {
        return directives.clientConfig();
    }

    @Override
    public boolean canFail() {
        return true;
    }

    @Override
    public void kill() {
        docker().killContainerCmd(container.getContainerId()).withSignal("KILL").exec();
        docker().waitContainerCmd(container.getContainerId()).start().awaitStatusCode(1, TimeUnit.MINUTES);
    }

    @Override
    public void start() {
        docker().startContainerCmd(container.getContainerId()).exec();
        awaitAnswer();
    }

    @Override
    public void wipe() {
        container.stop(); // which removes it, with its disk
        container.start();
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

    private void awaitAnswer() {
        Await.until("the server answers", () -> Awaiting.answers(this));
    }

    private DockerClient docker() {
        return container.getDockerClient();
    }
}
