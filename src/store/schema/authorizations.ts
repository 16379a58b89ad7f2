/** The OAuth server for MCP clients. */
export const AUTHORIZATIONS_SCHEMA = `
create table oauth_clients (
  client_id text primary key,
  client_name text not null,
  redirect_uris text not null,
  auth_method text not null check (auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  secret_hash text,
  registered_at text not null,
  fetched_at text,
  check ((auth_method = 'none') = (secret_hash is null))
) strict;

create table mcp_authorizations (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  redirect_uri text not null,
  platforms text,
  created_at text not null,
  last_used_at text,
  session_id text,
  unique (account_id, client_id)
) strict;
create index mcp_authorizations_of_client on mcp_authorizations (client_id);

create table agent_authorizations (
  agent_id text not null references agents (id) on delete cascade,
  authorization_id text not null references mcp_authorizations (id) on delete cascade,
  primary key (agent_id, authorization_id)
) strict, without rowid;
create index agent_authorizations_of_authorization on agent_authorizations (authorization_id);

create table oauth_grants (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  authorization_id text not null references mcp_authorizations (id) on delete cascade,
  redirect_uri text not null,
  code_hash text not null unique,
  code_challenge text not null,
  resource text not null,
  created_at text not null,
  code_expires_at text not null,
  redeemed_at text,
  narrowed_to text
) strict;
create index oauth_grants_of_account on oauth_grants (account_id);
create index oauth_grants_of_authorization on oauth_grants (authorization_id, created_at);
create index oauth_grants_by_end on oauth_grants (code_expires_at);

create table oauth_tokens (
  token_hash text primary key,
  account_id text not null references accounts (id) on delete cascade,
  grant_id text not null references oauth_grants (id) on delete cascade,
  kind text not null check (kind in ('access', 'refresh')),
  created_at text not null,
  expires_at text not null,
  spent_at text,
  sealed_successor text
) strict, without rowid;
create index oauth_tokens_of_account on oauth_tokens (account_id);
create index oauth_tokens_of_grant on oauth_tokens (grant_id);
create index oauth_tokens_by_end on oauth_tokens (expires_at);
create index sealed_oauth_tokens on oauth_tokens (spent_at) where sealed_successor is not null;
`;
