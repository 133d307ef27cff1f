package dev.holdfast.lock.tck.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherSessionListener;

class ParallelRulesTest {

    @Test
    void settings_areAddedByAServiceOfJUnit() {
        assertThat(ServiceLoader.load(LauncherSessionListener.class)).hasAtLeastOneElementOfType(ParallelRules.class);
    }
}
