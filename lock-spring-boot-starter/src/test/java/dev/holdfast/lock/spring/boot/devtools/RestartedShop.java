package dev.holdfast.lock.spring.boot.devtools;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spring.CurrentLease;
import dev.holdfast.lock.spring.Locked;
import dev.holdfast.lock.testing.Await;
import java.util.HashSet;
import java.util.Set;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;

/** The application, which devtools load anew with each start. It says what it found, and ends with a lock held. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class RestartedShop {

    public static void main(String[] arguments) {
        SpringApplication.run(RestartedShop.class, arguments);
    }

    @Bean
    Stock stock() {
        return new Stock();
    }

    @EventListener
    void report(ApplicationReadyEvent ready) {
        Locks locks = ready.getApplicationContext().getBean(Locks.class);
        boolean isFree = locks.named("kept").tryAcquire().isPresent();
        boolean isLocked = ready.getApplicationContext().getBean(Stock.class).isLocked();
        awaitEndOfThreads();
        System.out.println("started "
                + String.join(
                        ", ",
                        locks.provider(),
                        isFree ? "free" : "busy",
                        isLocked ? "locked" : "not locked",
                        getClass().getClassLoader().getClass().getSimpleName(),
                        Locks.class.getClassLoader().getClass().getSimpleName()));
    }

    /** Of those of the context before. */
    private static void awaitEndOfThreads() {
        @SuppressWarnings("unchecked")
        Set<Thread> before = (Set<Thread>) Restarter.getInstance().getOrAddAttribute("threads", HashSet::new);
        Await.until(
                "the threads of the last start have ended",
                () -> before.stream().noneMatch(Thread::isAlive));
        before.clear();
        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast-"))
                .forEach(before::add);
    }

    static class Stock {

        @Locked("stock")
        public boolean isLocked() {
            return CurrentLease.get().isHeld();
        }
    }
}
