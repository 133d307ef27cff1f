-- Forgets a few ids whose time is over.
DELETE FROM holdfast_released WHERE (namespace, id) IN
    (SELECT namespace, id FROM holdfast_released WHERE until <= ? LIMIT 20)
