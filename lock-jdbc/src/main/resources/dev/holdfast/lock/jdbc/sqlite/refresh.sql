-- Keeps the place of who has asked again.
UPDATE holdfast_waiter SET seen = ? WHERE namespace = ? AND name = ? AND id = ?
