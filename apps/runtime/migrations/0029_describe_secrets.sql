-- What the API shows of a secret beside its name. Who set those that are there is not known.
alter table runtime.secrets add column description text;
alter table runtime.secrets add column created_by text;
alter table runtime.secrets add column updated_by text;

-- Beside the scopes of automations there is `system`, of what only operators set: `prismeai_…`.
alter table runtime.secrets drop constraint secrets_scope_check;
