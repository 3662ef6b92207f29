-- The runtime asks for a workspace by its slug.
create index workspaces_by_slug on workspaces.workspaces (slug) where deleted_at is null;
