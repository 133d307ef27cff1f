package dev.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shop as the README of the sample starts it: without a server. */
@Tag("long")
class DefaultShopTest {

    @TempDir
    Path directory;

    @Test
    void shop_withoutSettings_sellsFromFilesInItsWorkingDirectory() throws Exception {
        try (ShopNode node = new ShopNode(ShopNode.NEWEST, directory, Map.of()).awaitReady()) {
            assertThat(node.post("/articles/chair/sales")).isEqualTo("true");
            assertThat(node.get("/articles/chair")).isEqualTo("99");
            assertThat(node.get("/actuator/health/locks")).contains("\"status\":\"UP\"");
            assertThat(directory.resolve("shop.db")).isNotEmptyFile();
            assertThat(directory.resolve("shop-locks.db")).isNotEmptyFile();
            node.stop();
        }
    }
}
