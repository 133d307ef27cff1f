package dev.holdfast.lock.cli;

import com.google.gson.stream.JsonWriter;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.admin.RegimeStatus;
import dev.holdfast.lock.cli.text.Times;
import dev.holdfast.lock.spi.DurationText;
import java.io.IOException;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Optional;
import picocli.CommandLine.Command;

/** The command line of {@code lock status}. */
@Command(
        name = "status",
        description = "Shows who grants: which store of a composite, since when, and why.",
        customSynopsis = "lock status [--json] [--local | --config FILE]",
        footer = {
            "",
            "Asks the composite's authority; looking takes no part, and changes nothing. Members are the",
            "processes that asked the authority lately. Who leaves a composite for one of its stores alone sets",
            "lock.token.floor to the floor that is shown after the last of them has ended, so that tokens go on",
            "rising.",
            "",
            "  lock status                who grants now?",
            "  lock status --json | jq -r .regime.grants",
            "",
            "--json: {provider, regime: {primary, fallback, grants, epoch, since, cause, regimeLease, members,",
            "suspecting, tokenFloor} or null}; null if the store is no composite. grants is one of both names,",
            "or nobody while that is changing; suspecting is how many members cannot reach the primary. Times",
            "in ISO-8601 UTC, durations as in the configuration, the token floor as text.",
            "",
            "Exit status: 0, or 64 wrong usage, 69 the store is unavailable, 74 the output cannot be written,",
            "78 wrong configuration, or nothing was ever locked there: looking makes nothing."
        })
final class StatusCommand extends AdminCommand {

    StatusCommand(Dialogue dialogue) {
        super(dialogue);
    }

    @Override
    int answer(Store chosen, LockAdmin admin) throws IOException {
        Optional<RegimeStatus> regime = admin.regime();
        if (isForPrograms()) {
            document(json -> object(json, admin.provider(), regime));
        } else if (regime.isPresent()) {
            RegimePage page = new RegimePage(new Times(InstantSource.system(), ZoneId.systemDefault()));
            for (String line : page.lines(regime.get())) {
                print(line);
            }
        } else {
            print(admin.provider() + " grants, and nobody else ever does: this store is no composite");
        }
        return 0;
    }

    private static void object(JsonWriter json, String provider, Optional<RegimeStatus> regime) throws IOException {
        json.beginObject();
        json.name("provider").value(provider);
        json.name("regime");
        if (regime.isPresent()) {
            regime(json, regime.get());
        } else {
            json.nullValue();
        }
        json.endObject();
    }

    private static void regime(JsonWriter json, RegimeStatus regime) throws IOException {
        json.beginObject();
        json.name("primary").value(regime.primary());
        json.name("fallback").value(regime.fallback());
        json.name("grants").value(regime.grants());
        json.name("epoch").value(regime.epoch());
        json.name("since").value(regime.since().toString());
        json.name("cause").value(regime.cause());
        json.name("regimeLease").value(DurationText.format(regime.regimeLease()));
        json.name("members").value(regime.members());
        json.name("suspecting").value(regime.suspecting());
        json.name("tokenFloor").value(Long.toString(regime.tokenFloor()));
        json.endObject();
    }
}
