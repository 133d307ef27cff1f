package dev.holdfast.lock.cli;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.admin.EffectiveSetting;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.cli.text.ForeignText;
import dev.holdfast.lock.cli.text.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;

/** The command line of {@code lock config}. */
@Command(
        name = "config",
        description = "Shows the settings that hold, and where each was set. Asks no store.",
        customSynopsis = "lock config [--json] [--local | --config FILE]",
        footer = {
            "",
            "Passwords and the like are shown as ****.",
            "",
            "  lock config                    what holds here, and which file it comes from",
            "  lock config --config FILE      what would hold with that file",
            "  LOCK_LEASE=1m lock config --json | jq -r '.settings[] | select(.origin != \"default\") | .key'",
            "",
            "--json: {file or null, chosenBy, settings: [{key, value, origin}, ...]}; chosenBy is --config,",
            "LOCK_CONFIG, working-directory, system, environment, --local or default.",
            "",
            "Exit status: 0, or 64 wrong usage, 74 the output cannot be written, 78 wrong configuration."
        })
final class ConfigCommand extends AdminCommand {

    ConfigCommand(Dialogue dialogue) {
        super(dialogue);
    }

    @Override
    int answer(Store chosen, LockAdmin admin) throws IOException {
        if (isForPrograms()) {
            document(json -> object(json, chosen, admin.settings()));
        } else {
            print(chosen.description().map(ConfigCommand::shown).orElse("no file") + ": "
                    + chosen.choice().reason());
            print("");
            table(admin.settings());
        }
        return 0;
    }

    private static String shown(Path file) {
        return ForeignText.of(file.toAbsolutePath().toString());
    }

    private void table(List<EffectiveSetting> settings) throws IOException {
        List<List<String>> rows = new ArrayList<>(List.of(List.of("KEY", "VALUE", "ORIGIN")));
        for (EffectiveSetting setting : settings) {
            rows.add(List.of(setting.key(), ForeignText.of(setting.value()), ForeignText.of(setting.origin())));
        }
        Table table = new Table(rows, Set.of(1, 2));
        for (List<String> row : rows) {
            for (String line : table.row(row)) {
                print(line);
            }
        }
    }

    private static void object(JsonWriter json, Store chosen, List<EffectiveSetting> settings) throws IOException {
        json.beginObject();
        json.name("file")
                .value(chosen.description()
                        .map(file -> file.toAbsolutePath().toString())
                        .orElse(null));
        json.name("chosenBy").value(chosen.choice().word());
        json.name("settings").beginArray();
        for (EffectiveSetting setting : settings) {
            json.beginObject();
            json.name("key").value(setting.key());
            json.name("value").value(setting.value());
            json.name("origin").value(setting.origin());
            json.endObject();
        }
        json.endArray();
        json.endObject();
    }
}
