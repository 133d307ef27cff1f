DROP VIEW IF EXISTS application_view;
CREATE VIEW application_view AS SELECT id FROM application_table;
