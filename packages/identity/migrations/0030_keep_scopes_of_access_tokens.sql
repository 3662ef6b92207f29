-- What a token may use: the resource scopes of the credential that made it. Null for tokens from before, which keep every scope.
alter table gateway.access_tokens add column scopes text[];
