import type { Migration } from '../database/migration.ts';
import { PLATFORM_RECORDS_SCHEMA } from '../schema/logins.ts';

/** What connectors keep, which had tables of its own for each platform. */
export const migration0030: Migration = {
  name: '0030-platform-records',
  statements: [
    PLATFORM_RECORDS_SCHEMA,
    `
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
  select login_key, platform, 'albums', '', position from login_positions where json_valid(position);
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
