-- How many wait before a place; of the living, and not more than matter.
SELECT count(*) FROM (
    SELECT 1 FROM holdfast_waiter WHERE namespace = ? AND name = ? AND place < ? AND seen > ? AND seen <= ? LIMIT ?)
