package dev.holdfast.lock.redis.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;

/**
 * Certificates of servers and the trust stores for their clients, made for a test: one for 127.0.0.1 and localhost, one for
 * another host. Both vouch for themselves.
 */
public final class Certificates {

    /** Of all stores. */
    public static final String PASSWORD = "for tests";

    private static final String TYPE = "PKCS12";

    private final Path directory;
    private final KeyStore trusted = emptyStore();
    private final KeyStore strangers = emptyStore();

    /** Makes them in this directory, which belongs to the caller. */
    public Certificates(Path directory) {
        this.directory = directory;
        try {
            trusted.setCertificateEntry("server", make("server", "ip:127.0.0.1,dns:localhost"));
            trusted.setCertificateEntry("elsewhere", make("elsewhere", "dns:elsewhere.invalid"));
            strangers.setCertificateEntry("stranger", make("stranger", "ip:127.0.0.1,dns:localhost"));
            store(trusted, trustStore());
            store(strangers, strangersTrustStore());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Directives of a server that encrypts, with the right certificate. */
    public String[] rightHost() {
        return directives("server");
    }

    /** Directives of a server that encrypts, with the certificate of another host. */
    public String[] wrongHost() {
        return directives("elsewhere");
    }

    /** A PKCS#12 store that trusts both certificates. */
    public Path trustStore() {
        return directory.resolve("trusted.p12");
    }

    /** A PKCS#12 store that trusts neither. */
    public Path strangersTrustStore() {
        return directory.resolve("strangers.p12");
    }

    private String[] directives(String name) {
        return new String[] {
            "tls-cert-file " + certificate(name), "tls-key-file " + key(name), "tls-auth-clients no",
        };
    }

    private Path certificate(String name) {
        return directory.resolve(name + ".crt");
    }

    private Path key(String name) {
        return directory.resolve(name + ".key");
    }

    private Certificate make(String name, String hosts) {
        Path file = directory.resolve(name + ".p12");
        run(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
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
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance(TYPE);
            store.load(in, PASSWORD.toCharArray());
            Certificate certificate = store.getCertificate(name);
            writePem("CERTIFICATE", certificate.getEncoded(), certificate(name));
            writePem("PRIVATE KEY", store.getKey(name, PASSWORD.toCharArray()).getEncoded(), key(name));
            return certificate;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void writePem(String what, byte[] content, Path file) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + what + "-----\n" + base64 + "\n-----END " + what + "-----\n");
    }

    private static KeyStore emptyStore() {
        try {
            KeyStore store = KeyStore.getInstance(TYPE);
            store.load(null, null);
            return store;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void store(KeyStore store, Path file) throws GeneralSecurityException {
        try (var out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD.toCharArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
