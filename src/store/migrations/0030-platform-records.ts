import type { Migration } from '../database/migration.ts';

/** What connectors keep, which had tables of its own for each platform. */
export const migration0030: Migration = {
  name: '0030-platform-records',
  statements: [
    `
create table platform_records (
  login_key text not null,
  platform text not null,
  kind text not null,
  key text not null,
  value text not null,
  unique_key text,
  group_key text,
  message_id text references messages (id) on delete cascade,
  primary key (login_key, platform, kind, key)
) strict, without rowid;
create unique index platform_record_of_one_login on platform_records (platform, kind, unique_key)
  where unique_key is not null;
create index platform_records_of_group on platform_records (platform, kind, group_key)
  where group_key is not null;
create index platform_records_of_message on platform_records (message_id) where message_id is not null;
create trigger platform_records_of_bot after delete on bot_tokens begin
  delete from platform_records where login_key = old.id;
end;
create trigger platform_records_of_connection after delete on connections begin
  delete from platform_records where login_key = old.id;
  delete from platform_records
    where login_key = old.login_key and platform = old.provider
    and kind = 'space' and key = old.space_kind || ' ' || old.remote_id
    and not exists (
      select 1 from connections
      where provider = old.provider and login_key = old.login_key
      and remote_id = old.remote_id and space_kind = old.space_kind
    );
end;

insert into platform_records (login_key, platform, kind, key, value)
  select login_key, 'discord', 'user', '', json_quote(user_id) from discord_bots
  union all
  select login_key, 'discord', 'session', '',
    json_object('sessionId', session_id, 'sequence', coalesce(sequence, 0), 'resumeUrl', resume_url)
    from discord_bots where session_id is not null and resume_url is not null
  union all
  select login_key, 'discord', 'channel', channel_id,
    json_object(
      'channelId', channel_id, 'guildId', guild_id, 'personId', person_id, 'parentId', parent_id,
      'isListening', json(iif(is_listening, 'true', 'false')), 'lastMessageId', last_message_id
    )
    from discord_channels
  union all
  select 'shared', 'teams', 'space', space_kind || ' ' || space_id,
    json_object('conversationId', conversation_id, 'serviceUrl', service_url, 'tenantId', tenant_id)
    from teams_references
  union all
  select login_key, platform, 'albums', '', position from login_positions;
insert into platform_records (login_key, platform, kind, key, value, unique_key, group_key)
  select login_key, 'slack', 'identity', '',
    json_object(
      'teamId', team_id, 'enterpriseId', enterprise_id,
      'isOrgWide', json(iif(is_org_wide, 'true', 'false')), 'userId', user_id
    ),
    team_id || ' ' || user_id, enterprise_id
    from slack_logins;
insert into platform_records (login_key, platform, kind, key, value, message_id)
  select 'shared', 'teams', 'offer', offer_id,
    json_object(
      'offerId', offer_id, 'messageId', messages.id, 'fileIndex', file_index, 'personId', person_id,
      'conversationId', teams_offers.conversation_id
    ),
    messages.id
    from teams_offers join messages on messages.seq = message_seq;
drop trigger teams_reference_unused;
drop table discord_channels;
drop table discord_bots;
drop table slack_logins;
drop table teams_references;
drop table teams_offers;
drop table login_positions;`,
  ],
};
