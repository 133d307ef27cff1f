-- No token of a removed row was greater than this.
SELECT coalesce(max(token), 0) FROM holdfast_floor
