package dev.holdfast.lock.redis.doctor;

/**
 * A permission that locks need and the user does not have.
 *
 * @param what the permission in words
 * @param rule the ACL rule that grants it
 */
record MissingPermission(String what, String rule) {

    private static final String OURS = "holdfast:*";

    static final MissingPermission KEYS = new MissingPermission("the keys " + OURS, "~" + OURS);

    static final MissingPermission CHANNELS = new MissingPermission("the channels " + OURS, "&" + OURS);

    /** @param name the command as ACL rules name it */
    static MissingPermission command(String name) {
        return new MissingPermission("the command " + name, "+" + name);
    }

    /** The command that grants the permission. It only adds, and leaves all other rules of the user as they are. */
    String remedy(String user) {
        return "ACL SETUSER " + user + " " + rule;
    }
}
