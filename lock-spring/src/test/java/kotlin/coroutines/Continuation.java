package kotlin.coroutines;

/** In the place of Kotlin's own: a suspend function has it as its last parameter. */
public interface Continuation<T> {

    void resumeWith(Object result);
}
