-- Remembers that an id was given up, though a request of its may still be under way.
INSERT INTO holdfast_released (namespace, name, id, until) VALUES (?, ?, ?, ?)
ON CONFLICT (namespace, name, id) DO UPDATE SET until = max(until, excluded.until)
