package dev.holdfast.lock.jdbc.postgresql.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which socket timeout means that the driver only looks. */
@Tag("first-build")
class LowLatencySocketFactoryTest {

    private static final String AT_ONCE = "there is nothing to read";

    @Test
    void timeout_ofOneMillisecondOnly_isALook() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new LowLatencySocketFactory().createSocket()) {
            socket.connect(server.getLocalSocketAddress());
            InputStream in = socket.getInputStream();
            try (Socket peer = server.accept()) {
                socket.setSoTimeout(1);
                assertThatThrownBy(in::read)
                        .isInstanceOf(SocketTimeoutException.class)
                        .hasMessage(AT_ONCE);

                socket.setSoTimeout(2);
                assertThatThrownBy(in::read)
                        .isInstanceOf(SocketTimeoutException.class)
                        .message()
                        .isNotEqualTo(AT_ONCE);

                peer.getOutputStream().write(7);
                socket.setSoTimeout(0);
                assertThat(in.read()).isEqualTo(7);
            }
        }
    }
}
