    or refusal('INFO', redis.pcall('INFO', 'replication'))
