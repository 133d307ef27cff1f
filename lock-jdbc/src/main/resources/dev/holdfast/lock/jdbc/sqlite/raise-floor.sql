-- Keeps the tokens rising for names whose rows are removed.
UPDATE holdfast_floor SET token = max(token, ?)
