package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.MapPropertySource;

/** The names that a call locks. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockedNamesTest {

    private AnnotationConfigApplicationContext context;
    private Names names;

    @BeforeAll
    void start() {
        context = Contexts.of(Beans.class);
        names = context.getBean(Names.class);
    }

    @AfterAll
    void close() {
        context.close();
    }

    @Test
    void name_withArguments_isEvaluatedForEachCall() {
        assertThat(names.byName(42)).containsExactly("invoice:42");
        assertThat(names.byName(43)).containsExactly("invoice:43");
        assertThat(names.byPosition("a", 7)).containsExactly("a-7");
        assertThat(names.ofProperty(new Order("x1", TimeUnit.DAYS))).containsExactly("x1/DAYS");
        assertThat(names.constant()).containsExactly("report");
        assertThat(names.uuid(new UUID(0, 1))).containsExactly("00000000-0000-0000-0000-000000000001");
        assertThat(names.optional(Optional.of("z"))).containsExactly("z");
    }

    @Test
    void name_withRootAndBeans_knowsMethodTargetAndContext() {
        assertThat(names.ofMethod()).containsExactly("ofMethod in Names by me");
        assertThat(names.ofBean()).containsExactly("tenant-1:report");
    }

    @Test
    void name_withPlaceholder_isResolvedAtStart() {
        assertThat(names.ofPlaceholder()).containsExactly("none-report");
    }

    @Test
    void names_severalOrOfACollection_areLockedOnceEach() {
        assertThat(names.several("a", "b")).containsExactly("account:a", "account:b");
        assertThat(names.several("a", "a")).containsExactly("account:a");
        assertThat(names.each(List.of("x", "y", "x"))).containsExactly("row:x", "row:y");
        assertThat(names.array(1, 2)).containsExactly("1", "2");
    }

    @Test
    void name_ofMetaAnnotation_isOverriddenByAlias() {
        assertThat(names.ofMetaAnnotation(5)).containsExactly("meta:5");
    }

    @Test
    void name_thatIsNullOrEmpty_isRefusedWithTheExpression() {
        assertThatThrownBy(() -> names.ofProperty(new Order(null, TimeUnit.DAYS)))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessage("@Locked on " + Names.class.getName()
                        + ".ofProperty(Order): #{#order.id} in the lock name '#{#order.id}/#{#p0.unit}' is null");
        assertThatThrownBy(() -> names.byPosition("", 1)).hasMessageEndingWith("is empty");
        assertThatThrownBy(() -> names.byPosition(" \t", 1)).hasMessageEndingWith("is blank");
        assertThatThrownBy(() -> names.optional(Optional.empty())).hasMessageEndingWith("is null");
        assertThatThrownBy(() -> names.each(List.of())).hasMessageEndingWith("is empty, and names no lock");
        assertThatThrownBy(() -> names.array(1, null)).hasMessageEndingWith("is null");
    }

    @Test
    void name_thatNoLockCanHave_isRefusedWithTheMethod() {
        assertThatThrownBy(() -> names.byPosition("x".repeat(256), 1))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("@Locked on " + Names.class.getName()
                        + ".byPosition(String, Integer): a lock's name has at most 255 code points, this one has 258");
        assertThatThrownBy(() -> names.several("a", "\u0000"))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("@Locked on " + Names.class.getName()
                        + ".several(String, String): a lock's name must not contain U+0000");
    }

    @Test
    void name_thatCannotBeEvaluated_isRefusedWithTheCause() {
        assertThatThrownBy(() -> names.ofProperty(null))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("#{#order.id} in the lock name")
                .hasMessageContaining("cannot be evaluated: ")
                .hasCauseInstanceOf(org.springframework.expression.EvaluationException.class);
    }

    @Test
    void name_ofValueThatDiffersBetweenProcesses_isRefused() {
        assertThatThrownBy(() -> names.ofObject(new Object())).hasMessageContaining("has no toString()");
        assertThatThrownBy(() -> names.listInText(List.of(1))).hasMessageContaining("gives several values");
    }

    @Test
    void condition_whenFalse_runsWithoutTheLock() {
        assertThat(names.onlyAbove(11)).containsExactly("big");
        assertThat(names.onlyAbove(10)).isEmpty();
        assertThatThrownBy(() -> names.nullCondition(null)).hasMessageContaining("is null, not true or false");
    }

    @Test
    void annotation_atClass_coversMethodsButThoseOfObject() {
        Covered covered = context.getBean("covered", Covered.class);
        assertThat(covered.first()).containsExactly("first");
        assertThat(covered.own()).containsExactly("own");
        assertThat(covered.toString()).isEqualTo("[]");
        assertThat(context.getBean(Inheriting.class).added()).containsExactly("added");
    }

    @Test
    void annotation_atInterface_coversTheBeanThatImplementsIt() {
        assertThat(context.getBean(Api.class).call(3)).containsExactly("api:3");
        assertThat(context.getBean(Api.class).other()).isEmpty();
    }

    record Order(String id, TimeUnit unit) {}

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Locked
    @interface Exclusive {
        @AliasFor(annotation = Locked.class, attribute = "value")
        String[] on();
    }

    interface Api {
        @Locked("api:#{#p0}")
        List<String> call(int key);

        List<String> other();
    }

    static class ApiBean implements Api {
        @Override
        public List<String> call(int key) {
            return CurrentLease.names();
        }

        @Override
        public List<String> other() {
            return CurrentLease.names();
        }
    }

    @Locked("#{#root.methodName}")
    static class Covered {
        List<String> first() {
            return CurrentLease.names();
        }

        @Locked("own")
        public List<String> own() {
            return CurrentLease.names();
        }

        @Override
        public String toString() {
            return CurrentLease.names().toString();
        }
    }

    static class Inheriting extends Covered {
        public List<String> added() {
            return CurrentLease.names();
        }
    }

    static class Names {
        final String me = "me";

        public String getMe() {
            return me;
        }

        @Locked("invoice:#{#id}")
        List<String> byName(long id) {
            return CurrentLease.names();
        }

        @Locked("#{#p0}-#{#a1}")
        List<String> byPosition(String first, Integer second) {
            return CurrentLease.names();
        }

        @Locked("#{#order.id}/#{#p0.unit}")
        List<String> ofProperty(Order order) {
            return CurrentLease.names();
        }

        @Locked("report")
        List<String> constant() {
            return CurrentLease.names();
        }

        @Locked("#{#id}")
        List<String> uuid(UUID id) {
            return CurrentLease.names();
        }

        @Locked("#{#id}")
        List<String> optional(Optional<String> id) {
            return CurrentLease.names();
        }

        @Locked("#{#root.method.name} in #{#root.targetClass.simpleName} by #{#root.target.me}")
        List<String> ofMethod() {
            return CurrentLease.names();
        }

        @Locked("#{@tenant.toLowerCase()}:report")
        List<String> ofBean() {
            return CurrentLease.names();
        }

        @Locked("${customer:none}-${test.job}")
        List<String> ofPlaceholder() {
            return CurrentLease.names();
        }

        @Locked({"account:#{#from}", "account:#{#to}"})
        List<String> several(String from, String to) {
            return CurrentLease.names();
        }

        @Locked("#{#ids.!['row:' + #this]}")
        List<String> each(List<String> ids) {
            return CurrentLease.names();
        }

        @Locked("#{#ids}")
        List<String> array(Integer... ids) {
            return CurrentLease.names();
        }

        @Exclusive(on = "meta:#{#id}")
        List<String> ofMetaAnnotation(int id) {
            return CurrentLease.names();
        }

        @Locked("#{#any}")
        void ofObject(Object any) {}

        @Locked("rows #{#ids}")
        void listInText(List<Integer> ids) {}

        @Locked(value = "big", condition = "#amount > 10")
        List<String> onlyAbove(int amount) {
            return CurrentLease.names();
        }

        @Locked(value = "big", condition = "#flag")
        void nullCondition(Boolean flag) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        Beans(org.springframework.core.env.ConfigurableEnvironment environment) {
            environment
                    .getPropertySources()
                    .addFirst(new MapPropertySource("test", java.util.Map.of("test.job", "report")));
        }

        @Bean
        Names names() {
            return new Names();
        }

        @Bean
        Covered covered() {
            return new Covered();
        }

        @Bean
        Inheriting inheriting() {
            return new Inheriting();
        }

        @Bean
        Api api() {
            return new ApiBean();
        }

        @Bean
        String tenant() {
            return Arrays.asList("TENANT-1").get(0);
        }
    }
}
