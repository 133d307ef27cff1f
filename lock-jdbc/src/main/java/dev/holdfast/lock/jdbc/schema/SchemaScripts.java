package dev.holdfast.lock.jdbc.schema;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The scripts that create one version of the tables, and the functions that belong to it.
 *
 * @param folder where they are in the jar, for people
 * @param migrations each brings the tables to the version in its name, {@code V<number>__}, from the version before; in their
 *     order. Repeating one is harmless, even after a newer one: the last statement writes the version only if that is greater.
 * @param functions replaces all functions by those of the last version; empty if the database has none
 */
public record SchemaScripts(String folder, List<Script> migrations, Optional<Script> functions) {

    private static final Pattern VERSION = Pattern.compile("V(\\d+)__.*");

    /** The quote around the text of which {@code functions.sql} itself computes the checksum. */
    private static final String FUNCTIONS_QUOTE = "$functions$";

    /** Checks the names. */
    public SchemaScripts {
        migrations = List.copyOf(migrations);
        for (int at = 0; at < migrations.size(); at++) {
            if (versionOf(migrations.get(at)) != at + 1) {
                throw new IllegalArgumentException(migrations.get(at).name() + " is not of version " + (at + 1));
            }
        }
    }

    /** Scripts of tables alone, from the package of a class. */
    public static SchemaScripts ofTables(Class<?> home, String... migrations) {
        return new SchemaScripts(folder(home), read(home, migrations), Optional.empty());
    }

    /** Scripts of tables and functions, from the package of a class. */
    public static SchemaScripts withFunctions(Class<?> home, String functions, String... migrations) {
        return new SchemaScripts(
                folder(home),
                read(home, migrations),
                Optional.of(new Script(functions, SqlScripts.read(home, functions))));
    }

    private static String folder(Class<?> home) {
        return home.getPackageName().replace('.', '/');
    }

    private static List<Script> read(Class<?> home, String... names) {
        return Stream.of(names)
                .map(name -> new Script(name, SqlScripts.read(home, name)))
                .toList();
    }

    private static int versionOf(Script migration) {
        Matcher version = VERSION.matcher(migration.name());
        return version.matches() ? Integer.parseInt(version.group(1)) : 0;
    }

    /** The version of the tables after all of them, from 1. */
    public int version() {
        return migrations.size();
    }

    /** The names of all scripts, in their order. */
    public List<String> names() {
        return namesAfter(0);
    }

    /** The names of the scripts that tables of this version lack, in their order. */
    List<String> namesAfter(int version) {
        return Stream.concat(migrations.stream().skip(version), functions.stream())
                .map(Script::name)
                .toList();
    }

    /** The text of one of the scripts. */
    public String text(String name) {
        return Stream.concat(migrations.stream(), functions.stream())
                .filter(script -> script.name().equals(name))
                .findFirst()
                .orElseThrow()
                .text();
    }

    /** The SHA-256 of the text that creates the functions, as the script writes it to the database; empty without functions. */
    public String functionsChecksum() {
        return functions.map(script -> checksum(script.text())).orElse("");
    }

    private static String checksum(String script) {
        int start = script.indexOf(FUNCTIONS_QUOTE) + FUNCTIONS_QUOTE.length();
        String text =
                script.substring(start, script.lastIndexOf(FUNCTIONS_QUOTE)).replace("\r", "");
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /**
     * A script.
     *
     * @param name of its file
     * @param text its statements
     */
    public record Script(String name, String text) {}
}
