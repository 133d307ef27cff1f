package dev.holdfast.lock.jdbc.pool;

/** The meaning of a database error for a call and for its connection. */
public enum ErrorClass {
    /** Deadlock or serialization failure: everything was certainly rolled back, so that the same call may succeed now. */
    ROLLED_BACK(true, false, false),
    /** A row stayed locked for too long; nothing was executed. */
    LOCK_TIMEOUT(true, true, false),
    /** Another process has locked the whole database; nothing was executed. */
    DATABASE_BUSY(true, true, false),
    /** The statement was cancelled, by a time-out of the database or by an operator. */
    CANCELLED(true, true, false),
    /** A synchronous standby has not confirmed a commit that is visible to others. */
    UNCONFIRMED(true, true, false),
    /** The user lacks a right. */
    NO_PRIVILEGE(true, false, true),
    /** An open connection was lost, or was closed because the server did not reply. */
    CONNECTION_LOST(false, true, false),
    /** The database did not reply, or not in time, so that the same call may succeed later. */
    OUTAGE(false, true, false),
    /** A setting is wrong: address, user, password, driver, file. */
    WRONG_SETTING(false, false, true),
    /** Any other error. */
    OTHER(false, false, false);

    private final boolean leavesConnectionIntact;
    private final boolean isOutage;
    private final boolean isSetting;

    ErrorClass(boolean leavesConnectionIntact, boolean isOutage, boolean isSetting) {
        this.leavesConnectionIntact = leavesConnectionIntact;
        this.isOutage = isOutage;
        this.isSetting = isSetting;
    }

    /** Whether the connection may be used again after it. */
    public boolean leavesConnectionIntact() {
        return leavesConnectionIntact;
    }

    /** Whether the same call may succeed later. */
    public boolean isOutage() {
        return isOutage;
    }

    /** Whether a setting has to be corrected before any call can succeed. */
    public boolean isSetting() {
        return isSetting;
    }
}
