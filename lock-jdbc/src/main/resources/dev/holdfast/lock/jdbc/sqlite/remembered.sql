-- Whether this id was given up while a request of its may have been under way.
SELECT 1 FROM holdfast_released WHERE namespace = ? AND name = ? AND id = ? AND until > ?
