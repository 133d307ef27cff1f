ALTER TABLE application_table ADD COLUMN name varchar(20);
