package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Role;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authorization.method.AuthorizationManagerBeforeMethodInterceptor;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** {@code @PreAuthorize}, {@code @Locked} and {@code @Transactional} of one method, by the interceptors of each. */
class SecuredMethodsTest {

    @AfterEach
    void signOut() {
        SecurityContextHolder.clearContext();
    }

    @ParameterizedTest
    @ValueSource(classes = {Plain.class, WithAspects.class})
    void call_thatIsAllowed_isInATransactionUnderTheLock(Class<?> configuration) {
        try (AnnotationConfigApplicationContext context = Contexts.of(configuration, Beans.class)) {
            signIn("ROLE_TELLER");
            context.getBean(Vault.class).open();
            assertThat(context.getBean(RecordedTransactions.class).events())
                    .containsExactly("begin locked", "commit locked");
            assertThat(context.getBean(Probe.class).isFree("vault")).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Plain.class, WithAspects.class})
    void call_thatIsDenied_takesNoLock(Class<?> configuration) {
        try (AnnotationConfigApplicationContext context = Contexts.of(configuration, Beans.class)) {
            List<String> granted = new CopyOnWriteArrayList<>();
            context.getBean(Locks.class).addListener(new LockListener() {
                @Override
                public void acquired(String name, LeaseKind kind, long fencingToken, Duration waited) {
                    granted.add(name);
                }
            });
            Vault vault = context.getBean(Vault.class);
            signIn("ROLE_GUEST");
            assertThatThrownBy(vault::open).isInstanceOf(AccessDeniedException.class);
            assertThat(context.getBean(RecordedTransactions.class).events()).isEmpty();
            signIn("ROLE_TELLER");
            vault.open();
            Await.until("the grant is reported", () -> !granted.isEmpty());
            assertThat(granted).containsExactly("vault");
        }
    }

    private static void signIn(String role) {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("somebody", "", role));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Plain {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableAspectJAutoProxy
    static class WithAspects {}

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        /** As {@code @EnableMethodSecurity} registers it. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static AuthorizationManagerBeforeMethodInterceptor preAuthorize() {
            return AuthorizationManagerBeforeMethodInterceptor.preAuthorize();
        }

        @Bean
        RecordedTransactions transactionManager(Probe probe) {
            return new RecordedTransactions(probe, "vault");
        }

        @Bean
        Vault vault() {
            return new Vault();
        }
    }

    static class Vault {

        @PreAuthorize("hasRole('TELLER')")
        @Locked("vault")
        @Transactional
        public void open() {}
    }
}
