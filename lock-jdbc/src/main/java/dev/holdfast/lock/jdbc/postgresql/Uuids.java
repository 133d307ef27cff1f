package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.spi.AcquisitionId;
import java.util.UUID;

/** Ids in PostgreSQL's form, for columns of type uuid. */
final class Uuids {

    private Uuids() {}

    static UUID of(AcquisitionId id) {
        return new UUID(id.high(), id.low());
    }

    static AcquisitionId id(UUID uuid) {
        return new AcquisitionId(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }
}
