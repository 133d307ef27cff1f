package dev.holdfast.lock.redis.testserver;

import dev.holdfast.lock.testing.SelfSigned;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;

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
            Certificate elsewhere = make("elsewhere", "dns:elsewhere.invalid");
            trusted.setCertificateEntry("elsewhere", elsewhere);
            strangers.setCertificateEntry("elsewhere", elsewhere);
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

    /** A PKCS#12 store that does not trust that of the right host. */
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
        SelfSigned made = SelfSigned.make(directory, name, hosts);
        try {
            Files.writeString(certificate(name), made.pem());
            Files.writeString(key(name), made.key());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return made.certificate();
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
}
