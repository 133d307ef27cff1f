CREATE TABLE application_table (id integer PRIMARY KEY);
