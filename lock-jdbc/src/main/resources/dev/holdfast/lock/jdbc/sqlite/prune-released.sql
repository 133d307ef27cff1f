-- Forgets a few ids whose time is over.
DELETE FROM holdfast_released WHERE (namespace, name, id) IN
    (SELECT namespace, name, id FROM holdfast_released WHERE until <= ? LIMIT 20)
