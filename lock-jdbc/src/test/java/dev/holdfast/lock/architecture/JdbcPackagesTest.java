package dev.holdfast.lock.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.holdfast.lock.jdbc.JdbcLockStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The direction of the packages: provider and stores, then the databases, then the store on rows, then what stores share, then
 * the schema, then the connections.
 */
@Tag("first-build")
class JdbcPackagesTest {

    private static final String ROOT = "dev.holdfast.lock.jdbc";
    private static final String POOL = ROOT + ".pool..";
    private static final String SCHEMA = ROOT + ".schema..";
    private static final String DATABASE = ROOT + ".database..";
    private static final String POSTGRESQL = ROOT + ".postgresql..";
    private static final String ROW = ROOT + ".row..";
    private static final String SQLITE = ROOT + ".sqlite..";
    private static final String H2 = ROOT + ".h2..";
    private static final String MYSQL = ROOT + ".mysql..";

    private final JavaClasses module = new ClassFileImporter()
            .withImportOption(location -> location.contains(JdbcLockStore.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .getPath()))
            .importPackages(ROOT);

    @Test
    void pool_dependsOnNoOtherPackageOfTheModule() {
        checkNoDependency(POOL, ROOT, SCHEMA, DATABASE, ROW, POSTGRESQL, SQLITE, H2, MYSQL);
    }

    @Test
    void schema_dependsOnNoDatabase() {
        checkNoDependency(SCHEMA, ROOT, DATABASE, ROW, POSTGRESQL, SQLITE, H2, MYSQL);
    }

    @Test
    void whatStoresShare_dependsOnNoStore() {
        checkNoDependency(DATABASE, ROOT, ROW, POSTGRESQL, SQLITE, H2, MYSQL);
    }

    @Test
    void row_dependsOnNoDatabase() {
        checkNoDependency(ROW, ROOT, POSTGRESQL, SQLITE, H2, MYSQL);
    }

    @Test
    void databases_dependNeitherOnEachOtherNorOnTheStores() {
        checkNoDependency(POSTGRESQL, ROOT, ROW, SQLITE, H2, MYSQL);
        checkNoDependency(SQLITE, ROOT, POSTGRESQL, H2, MYSQL);
        checkNoDependency(H2, ROOT, POSTGRESQL, SQLITE, MYSQL);
        checkNoDependency(MYSQL, ROOT, POSTGRESQL, SQLITE, H2);
    }

    @Test
    void flyway_isKnownToTheMigrationOnly() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.schema\\.FlywayMigration(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.flywaydb..")
                .check(module);
    }

    private void checkNoDependency(String from, String... to) {
        noClasses()
                .that()
                .resideInAPackage(from)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(to)
                .check(module);
    }
}
