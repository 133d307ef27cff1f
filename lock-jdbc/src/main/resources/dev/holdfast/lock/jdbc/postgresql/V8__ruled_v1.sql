-- Carries out a batch of steps as holdfast_apply_v1 does, if the regime allows it: an acquire in FALLBACK of the epoch, a renewal
-- or a release in DRAIN as well. What it does not allow is answered with "deposed", and nothing was done.
--
-- Promises: no change of the regime comes between the steps and the look at it. Tokens are greater than the regime's base. What
-- was done in DRAIN is on the disk when it is answered, releases too: an id that was given up must not be asserted after a
-- crash.
CREATE OR REPLACE FUNCTION holdfast_ruled_v1(
    in_namespace text,
    in_channel   text,
    in_patience  integer,
    in_kinds     text[],
    in_names     text[],
    in_ids       uuid[],
    in_lengths   bigint[],
    in_queues    boolean[],
    in_aboves    bigint[],
    in_owners    text[],
    in_remembers bigint[],
    in_bucket    integer,
    in_epoch     bigint
)
RETURNS TABLE (
    answer_step   bigint,
    answer        text,   -- as those of holdfast_apply_v1; deposed
    answer_number bigint,
    answer_micros bigint,
    answer_why    text    -- deposed: what the regime is
)
LANGUAGE plpgsql
VOLATILE
SET search_path FROM CURRENT
AS $$
DECLARE
    regime  record;
    allowed text[];
    steps   record;
BEGIN
    SELECT g.* INTO regime FROM holdfast_guard_v1(in_namespace, in_bucket, in_patience, false) g;
    allowed := CASE
        WHEN regime.epoch IS DISTINCT FROM in_epoch THEN '{}'
        WHEN regime.mode = 'FALLBACK' THEN '{acquire,renew,release}'
        WHEN regime.mode = 'DRAIN' THEN '{renew,release}'
        ELSE '{}'
    END;

    RETURN QUERY
        SELECT t.place, 'deposed', NULL::bigint, NULL::bigint, regime.evidence
        FROM unnest(in_kinds) WITH ORDINALITY AS t (kind, place)
        WHERE t.kind <> ALL (allowed);

    SELECT array_agg(t.place ORDER BY t.place) AS places, array_agg(t.kind ORDER BY t.place) AS kinds,
        array_agg(t.name ORDER BY t.place) AS names, array_agg(t.id ORDER BY t.place) AS ids,
        array_agg(t.length ORDER BY t.place) AS lengths, array_agg(t.queue ORDER BY t.place) AS queues,
        array_agg(greatest(t.above, regime.base) ORDER BY t.place) AS aboves,
        array_agg(t.owner ORDER BY t.place) AS owners, array_agg(t.remember ORDER BY t.place) AS remembers
    INTO steps
    FROM unnest(in_kinds, in_names, in_ids, in_lengths, in_queues, in_aboves, in_owners, in_remembers)
        WITH ORDINALITY AS t (kind, name, id, length, queue, above, owner, remember, place)
    WHERE t.kind = ANY (allowed);

    IF steps.places IS NOT NULL THEN
        RETURN QUERY
            SELECT steps.places[a.answer_step], a.answer, a.answer_number, a.answer_micros, NULL::text
            FROM holdfast_apply_v1(
                in_namespace, in_channel, in_patience, steps.kinds, steps.names, steps.ids, steps.lengths, steps.queues,
                steps.aboves, steps.owners, steps.remembers) a;
        IF regime.mode = 'DRAIN' THEN
            PERFORM holdfast_durably_v1();
        END IF;
    END IF;
END
$$;
