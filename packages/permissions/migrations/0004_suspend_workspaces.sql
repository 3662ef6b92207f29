-- A workspace that an operator has suspended runs nothing.
alter table permissions.workspaces add column suspended_at timestamptz;
alter table permissions.workspaces add column suspended_reason text;
alter table permissions.workspaces add column suspended_by text;
