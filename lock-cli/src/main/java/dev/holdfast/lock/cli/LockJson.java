package dev.holdfast.lock.cli;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.spi.LockInfo;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** A lock for programs. */
final class LockJson {

    private LockJson() {}

    /** {@code null} if there is none. */
    static void write(JsonWriter json, Optional<LockInfo> lock) throws IOException {
        if (lock.isPresent()) {
            write(json, lock.get());
        } else {
            json.nullValue();
        }
    }

    /** All of its fields, always. A fencing token is text: it exceeds what JavaScript's numbers hold. */
    static void write(JsonWriter json, LockInfo lock) throws IOException {
        json.beginObject();
        json.name("name").value(lock.name().value());
        json.name("holder");
        if (lock.holder().isPresent()) {
            holder(json, lock.holder().get());
        } else {
            json.nullValue();
        }
        json.name("keptUntil").value(lock.keptUntil().map(Instant::toString).orElse(null));
        json.name("waiters").beginArray();
        for (String waiter : lock.waiters()) {
            json.value(waiter);
        }
        json.endArray();
        json.endObject();
    }

    private static void holder(JsonWriter json, LockInfo.Holder holder) throws IOException {
        json.beginObject();
        json.name("owner").value(holder.owner());
        json.name("fencingToken").value(Long.toString(holder.fencingToken()));
        json.name("since").value(holder.since().toString());
        json.name("until").value(holder.until().toString());
        json.endObject();
    }
}
