note('INFO', redis.pcall('INFO', 'replication'))
