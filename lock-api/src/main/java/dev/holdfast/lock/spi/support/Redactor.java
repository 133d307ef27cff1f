package dev.holdfast.lock.spi.support;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Masks secrets in text for people. Masks too much rather than too little: a password may contain characters that a URL must
 * not, such as blanks, quotes, line breaks, slashes and at signs.
 */
public final class Redactor {

    /** The replacement of a secret. */
    public static final String MASK = "****";

    /** Parameters of a URL whose values may be shown, in lower case. Any other value may be a secret. */
    private static final Set<String> SHOWN = Set.of(
            // any URL
            "user",
            "username",
            "host",
            "port",
            "address",
            "protocol",
            "database",
            "db",
            "schema",
            "mode",
            "type",
            "timeout",
            "readonly",
            "encoding",
            "charset",
            "timezone",
            "compression",
            "pool",
            "cache",
            // of TLS
            "ssl",
            "usessl",
            "requiressl",
            "sslmode",
            "ssl-mode",
            "sslrootcert",
            "sslcert",
            "sslfactory",
            "sslhostnameverifier",
            "verifyservercertificate",
            "trustservercertificate",
            "encrypt",
            "hostnameincertificate",
            "gssencmode",
            "channelbinding",
            // PostgreSQL
            "currentschema",
            "applicationname",
            "connecttimeout",
            "sockettimeout",
            "logintimeout",
            "cancelsignaltimeout",
            "tcpkeepalive",
            "targetservertype",
            "loadbalancehosts",
            "hostrecheckseconds",
            "preparethreshold",
            "preparedstatementcachequeries",
            "preparedstatementcachesizemib",
            "binarytransfer",
            "defaultrowfetchsize",
            "rewritebatchedinserts",
            "stringtype",
            "autosave",
            "preferquerymode",
            "assumeminserverversion",
            "socketfactory",
            "loggerlevel",
            "escapesyntaxcallmode",
            // MariaDB and MySQL
            "servertimezone",
            "connectiontimezone",
            "characterencoding",
            "connectioncollation",
            "useunicode",
            "autoreconnect",
            "allowpublickeyretrieval",
            "allowmultiqueries",
            "rewritebatchedstatements",
            "cacheprepstmts",
            "prepstmtcachesize",
            "prepstmtcachesqllimit",
            "useserverprepstmts",
            "usecursorfetch",
            "tinyint1isbit",
            "zerodatetimebehavior",
            "createdatabaseifnotexist",
            "permitmysqlscheme",
            "maxallowedpacket",
            "localsocket",
            "transactionisolation",
            // H2 and SQLite
            "db_close_delay",
            "db_close_on_exit",
            "auto_server",
            "auto_server_port",
            "auto_reconnect",
            "ifexists",
            "access_mode_data",
            "lock_timeout",
            "trace_level_file",
            "cache_size",
            "non_keywords",
            "file_lock",
            "write_delay",
            "database_to_upper",
            "database_to_lower",
            "case_insensitive_identifiers",
            "journal_mode",
            "busy_timeout",
            "synchronous",
            "foreign_keys",
            "transaction_mode",
            "open_mode",
            // others
            "databasename",
            "servername",
            "instancename",
            "service_name",
            "sid");

    /** A value that is not secret, whatever its name is, up to the end of the value. */
    private static final Pattern SWITCH = Pattern.compile("(?i)(?:true|false|on|off|yes|no)(?=[&;,)\\s]|\\z)");

    /** The names of secrets in running text, where any name may precede any value. */
    private static final Pattern SECRET = Pattern.compile("pass|pwd|secret|token|credential|key|auth");

    /** The beginning of a URL in a text, but not within another URL. */
    private static final Pattern BEGINNING = Pattern.compile(
            "(?i)(?<![^\\s\"'`(\\[{<=,])jdbc:|(?<![^\\s\"'`(\\[{<,])[a-z][a-z0-9+.-]*:(?:[a-z0-9+.:-]*:)?//");

    /** The prefix of an Oracle URL with user and password. */
    private static final Pattern ORACLE = Pattern.compile("(?i)jdbc:oracle:[^/@]*/");

    private static final Pattern NAME = Pattern.compile("[^/:@?\\s]*:");

    /** A user without a host: the text after the colon is not a port. */
    private static final Pattern NO_PORT = Pattern.compile("(?s)([^/:@?\\[\\]\\s,]*:)(?!\\d{1,5}(?:[/,?;&#]|\\z)).+");

    /** The same in running text, which goes on after the port, as with ": refused". */
    private static final Pattern NO_PORT_IN_TEXT =
            Pattern.compile("(?s)([^/:@?\\[\\]\\s,]*:)(?!\\d{1,5}(?:[/,?;&#]|:?\\s|\\z)).+");

    /** A parameter with its name, in a value that is a URL as a whole. */
    private static final Pattern PARAMETER = Pattern.compile(
            "(?:\\G|[?&;,(#]|%(?:3[fFbB]|26))([^=?&;,(#%]*+(?:%(?!3[dDfFbB]|26)[^=?&;,(#%]*+)*+)(?:=|%3[dD])");

    /** A parameter in running text: of a URL, or with the name of a secret anywhere. */
    private static final Pattern PARAMETER_IN_TEXT =
            Pattern.compile("(?:[?&;]|(?<![\\w.-])(?=[\\w.-]*(?i:pass|pwd|secret)))"
                    + "([^=?&;%\\s]*+(?:%(?!3[dD])[^=?&;%\\s]*+)*+)\\s*+(?:=|%3[dD])(?!\\*{4}(?:[&:\\s'\")]|\\z))");

    private static final Pattern NEXT_PARAMETER = Pattern.compile("&\\s*[\\w.-]+\\s*=");

    private Redactor() {}

    /** Masks the secrets of a text that may contain URLs, each as {@link #redactUrl} does. */
    public static String redact(String text) {
        StringBuilder masked = new StringBuilder();
        Matcher beginning = BEGINNING.matcher(text);
        int from = 0;
        while (from < text.length()) {
            int end = beginning.find() ? beginning.start() : text.length();
            String part = text.substring(from, end);
            masked.append(shown(
                    part, user(part, NO_PORT_IN_TEXT), parameters(part, PARAMETER_IN_TEXT, Redactor::isSecretInText)));
            from = end;
        }
        return masked.toString();
    }

    /**
     * Masks the secrets of a value that may be a URL as a whole: the part before the {@code @} except the user name, and the
     * values of all parameters except switches and those that are known to be harmless.
     */
    public static String redactUrl(String url) {
        return shown(url, user(url, NO_PORT), parameters(url, PARAMETER, Redactor::isSecret));
    }

    /** The positions of the secret part of the user information, after the first {@code //}. */
    private static BitSet user(String url, Pattern noPort) {
        BitSet secret = new BitSet();
        int slashes = url.indexOf("//");
        int at = url.lastIndexOf('@');
        if (slashes >= 0) {
            int start = slashes + 2;
            if (at < start) {
                Matcher password = noPort.matcher(url).region(start, url.length());
                secret.set(password.matches() ? password.end(1) : url.length(), url.length());
            } else {
                Matcher name = NAME.matcher(url).region(start, at);
                secret.set(name.lookingAt() ? name.end() : start, at);
            }
        }
        Matcher oracle = ORACLE.matcher(url);
        if (oracle.find() && oracle.end() < at) {
            secret.set(oracle.end(), at);
        }
        return secret;
    }

    /** The positions of secret parameter values. */
    private static BitSet parameters(String url, Pattern pattern, Predicate<String> isSecret) {
        BitSet secret = new BitSet();
        Matcher parameter = pattern.matcher(url);
        Matcher next = NEXT_PARAMETER.matcher(url);
        for (int at = 0; at < url.length() && parameter.find(at); ) {
            at = parameter.end();
            if (isSecret.test(
                            decoded(parameter.group(1)).toLowerCase(Locale.ROOT).strip())
                    && !(pattern == PARAMETER && isSwitch(url, at))) {
                int end = next.find(at) ? next.start() : url.length();
                secret.set(at, end);
                at = end;
            }
        }
        return secret;
    }

    /** By the list of what may be shown. The beginning of the URL itself, which is not a parameter, may contain an equals sign. */
    private static boolean isSecret(String name) {
        if (name.contains(":") || name.contains("/")) {
            return isSecretInText(name);
        }
        int word = name.length();
        while (word > 0 && !Character.isWhitespace(name.charAt(word - 1))) {
            word--;
        }
        return !SHOWN.contains(name.substring(word));
    }

    private static boolean isSecretInText(String name) {
        return SECRET.matcher(name).find();
    }

    private static boolean isSwitch(String url, int from) {
        return SWITCH.matcher(url).region(from, url.length()).lookingAt();
    }

    private static String shown(String text, BitSet secret, BitSet alsoSecret) {
        secret.or(alsoSecret);
        StringBuilder shown = new StringBuilder();
        for (int at = 0; at < text.length(); ) {
            boolean hidden = secret.get(at);
            int end = hidden ? secret.nextClearBit(at) : secret.nextSetBit(at);
            end = end < 0 ? text.length() : end;
            shown.append(hidden ? MASK : text.substring(at, end));
            at = end;
        }
        return shown.toString();
    }

    private static String decoded(String name) {
        try {
            return URLDecoder.decode(name, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) { // not an encoding
            return name;
        }
    }
}
