package dev.holdfast.lock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;

/**
 * A self-signed certificate for a test.
 *
 * @param pem the certificate as servers read it
 * @param key its private key as servers read it
 */
public record SelfSigned(Certificate certificate, String pem, String key) {

    private static final String TYPE = "PKCS12";
    private static final String PASSWORD = "for tests";

    /**
     * Generates a certificate.
     *
     * @param directory for its files
     * @param hosts such as {@code ip:127.0.0.1,dns:localhost}
     */
    public static SelfSigned make(Path directory, String name, String hosts) {
        Path file = directory.resolve(name + ".p12");
        try {
            keytool(
                    "-J-XX:TieredStopAtLevel=1",
                    "-genkeypair",
                    "-alias",
                    name,
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=" + name,
                    "-ext",
                    "san=" + hosts,
                    "-startdate",
                    "-1d",
                    "-validity",
                    "3",
                    "-storetype",
                    TYPE,
                    "-storepass",
                    PASSWORD,
                    "-keystore",
                    file.toString());
            KeyStore store = KeyStore.getInstance(TYPE);
            try (InputStream in = Files.newInputStream(file)) {
                store.load(in, PASSWORD.toCharArray());
            }
            Certificate certificate = store.getCertificate(name);
            byte[] key = store.getKey(name, PASSWORD.toCharArray()).getEncoded();
            return new SelfSigned(certificate, pem("CERTIFICATE", certificate.getEncoded()), pem("PRIVATE KEY", key));
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(String what, byte[] content) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return "-----BEGIN " + what + "-----\n" + base64 + "\n-----END " + what + "-----\n";
    }

    private static void keytool(String... arguments) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(arguments).redirectErrorStream(true);
        builder.command()
                .add(
                        0,
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IllegalStateException(output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
