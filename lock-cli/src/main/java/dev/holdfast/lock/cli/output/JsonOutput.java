package dev.holdfast.lock.cli.output;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Share;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;
import java.time.Instant;
import java.util.Optional;

/** JSON documents for programs. */
public final class JsonOutput {

    private JsonOutput() {}

    /** The content of a document. */
    @FunctionalInterface
    public interface Document {
        void writeTo(JsonWriter json) throws IOException;
    }

    /** Writes one document, without characters that a terminal would obey. */
    public static void write(Writer out, Document document) throws IOException {
        JsonWriter json = new JsonWriter(new EscapingWriter(out));
        json.setIndent("  ");
        document.writeTo(json);
        out.write("\n");
    }

    /** Writes a lock, or {@code null} if there is none. */
    public static void writeLock(JsonWriter json, Optional<LockInfo> lock) throws IOException {
        if (lock.isPresent()) {
            writeLock(json, lock.get());
        } else {
            json.nullValue();
        }
    }

    /** Writes all fields of a lock, always. A fencing token is text: it exceeds the range of JavaScript's numbers. */
    public static void writeLock(JsonWriter json, LockInfo lock) throws IOException {
        json.beginObject();
        json.name("name").value(lock.name().value());
        json.name("holders").beginArray();
        for (LockInfo.Holder holder : lock.holders()) {
            writeHolder(json, holder);
        }
        json.endArray();
        json.name("keptUntil")
                .value(lock.minimumHoldUntil().map(Instant::toString).orElse(null));
        json.name("waiters").beginArray();
        for (LockInfo.Waiter waiter : lock.waiters()) {
            json.beginObject();
            json.name("owner").value(waiter.owner());
            writeShare(json, waiter.share());
            json.endObject();
        }
        json.endArray();
        json.endObject();
    }

    private static void writeHolder(JsonWriter json, LockInfo.Holder holder) throws IOException {
        json.beginObject();
        json.name("owner").value(holder.owner());
        json.name("fencingToken").value(Long.toString(holder.fencingToken()));
        json.name("since").value(holder.since().toString());
        json.name("until").value(holder.until().toString());
        writeShare(json, holder.share());
        json.endObject();
    }

    /** Writes the state of a composite, or {@code null} for another store. */
    public static void writeFailover(JsonWriter json, Optional<FailoverStatus> failover) throws IOException {
        if (failover.isEmpty()) {
            json.nullValue();
            return;
        }
        FailoverStatus status = failover.get();
        json.beginObject();
        json.name("primary").value(status.primary());
        json.name("fallback").value(status.fallback());
        json.name("grants").value(status.active());
        json.name("epoch").value(status.epoch());
        json.name("since").value(status.since().toString());
        json.name("cause").value(status.cause());
        json.name("authorityLease").value(DurationText.format(status.authorityLease()));
        json.name("members").value(status.members());
        json.name("suspecting").value(status.suspecting());
        json.name("tokenFloor").value(Long.toString(status.tokenFloor()));
        json.endObject();
    }

    private static void writeShare(JsonWriter json, Share share) throws IOException {
        json.name("permits").value(share.permits());
        json.name("limit").value(share.limit() == Share.UNLIMITED ? null : share.limit());
    }

    /**
     * Writes the characters that a terminal would obey as JSON escapes, and those beyond the basic plane as two surrogates.
     * They occur in strings only, so the document means the same.
     */
    private static final class EscapingWriter extends FilterWriter {

        EscapingWriter(Writer out) {
            super(out);
        }

        @Override
        public void write(int unit) throws IOException {
            char c = (char) unit;
            if (c != '\n' && EscapedText.isUnsafe(c)) {
                out.write(EscapedText.escapeAll(String.valueOf(c)));
            } else {
                out.write(c);
            }
        }

        @Override
        public void write(char[] units, int from, int length) throws IOException {
            for (int i = from; i < from + length; i++) {
                write(units[i]);
            }
        }

        @Override
        public void write(String text, int from, int length) throws IOException {
            for (int i = from; i < from + length; i++) {
                write(text.charAt(i));
            }
        }
    }
}
