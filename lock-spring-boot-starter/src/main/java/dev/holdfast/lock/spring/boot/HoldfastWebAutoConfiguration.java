package dev.holdfast.lock.spring.boot;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ControllerAdvice;

/** The answer to a request that did not get its lock. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass({ControllerAdvice.class, ProblemDetail.class})
@ConditionalOnProperty(name = "holdfast.web.problems", matchIfMissing = true)
public final class HoldfastWebAutoConfiguration {

    /** For Spring. */
    HoldfastWebAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    LockProblems holdfastLockProblems() {
        return new LockProblems();
    }
}
