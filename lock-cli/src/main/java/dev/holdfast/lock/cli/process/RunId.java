package dev.holdfast.lock.cli.process;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;

/**
 * The random id of one run. The command and all its descendants carry it in {@value #VARIABLE}, whatever their parent is later;
 * a run inside a run carries the ids of both.
 *
 * @param value 32 hexadecimal digits
 */
record RunId(String value) {

    static final String VARIABLE = "HOLDFAST_RUN";

    static RunId random() {
        byte[] bits = new byte[16];
        new SecureRandom().nextBytes(bits);
        return new RunId(HexFormat.of().formatHex(bits));
    }

    /** Adds the id to the environment of a process to be started. */
    void addTo(Map<String, String> environment) {
        environment.merge(VARIABLE, value, (outer, inner) -> outer + ":" + inner);
    }

    /** Whether this environment, as the system shows it, carries the id. */
    boolean marks(byte[] environment) {
        byte[] wanted = value.getBytes(StandardCharsets.US_ASCII);
        int last = environment.length - wanted.length;
        for (int at = 0; at <= last; at++) {
            if (environment[at] == wanted[0]
                    && ByteBuffer.wrap(environment, at, wanted.length).equals(ByteBuffer.wrap(wanted))) {
                return true;
            }
        }
        return false;
    }
}
