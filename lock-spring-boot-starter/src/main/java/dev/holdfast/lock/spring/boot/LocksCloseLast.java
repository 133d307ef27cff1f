package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Closes the locks after every other bean, except those that the locks themselves need. A bean may use locks without having
 * them injected, like one with {@code @Locked} methods, and Spring would not know the order. The order is set when the context
 * closes, so it includes beans that were created late.
 */
final class LocksCloseLast implements ApplicationListener<ContextClosedEvent> {

    /** Of Boot's devtools: shuts down a database in memory, which may be the one that keeps the locks. */
    private static final String DATABASE_SHUTDOWN = "inMemoryDatabaseShutdownExecutor";

    private final ConfigurableListableBeanFactory beans;

    LocksCloseLast(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent closing) {
        for (String locks : beans.getBeanNamesForType(Locks.class, false, false)) {
            for (String store : beans.getBeanNamesForType(LockStore.class, false, false)) {
                beans.registerDependentBean(store, locks);
                closeBeforeDatabase(store);
            }
            closeBeforeDatabase(locks);
            Set<String> needed = new HashSet<>();
            addNeeded(locks, needed);
            // The latest first, as Spring destroys beans that are independent of each other.
            List<String> singletons = new ArrayList<>(List.of(beans.getSingletonNames()));
            Collections.reverse(singletons);
            singletons.stream()
                    .filter(name -> !needed.contains(name))
                    .forEach(name -> beans.registerDependentBean(locks, name));
        }
    }

    /** The locks that are held are released there. */
    private void closeBeforeDatabase(String name) {
        if (beans.containsSingleton(DATABASE_SHUTDOWN)) {
            beans.registerDependentBean(DATABASE_SHUTDOWN, name);
        }
    }

    private void addNeeded(String name, Set<String> needed) {
        if (needed.add(name)) {
            for (String dependency : beans.getDependenciesForBean(name)) {
                addNeeded(dependency, needed);
            }
        }
    }
}
