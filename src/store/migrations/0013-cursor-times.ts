import type { Migration } from '../database/migration.ts';

/**
 * Cursors identify an event that is not about a message by a time that is unique within its account. Copies of one
 * event for several agents share their time.
 */
export const migration0013: Migration = {
  name: '0013-cursor-times',
  statements: [
    `alter table events add column cursor_time text`,
    `with others as (
      select id, account_id, cast(round(unixepoch(created_at, 'subsec') * 1000) as integer) as ms,
        min(id) over (partition by account_id, coalesce(payload ->> '$.event_id', id)) as first_id
      from events where message_seq is null and json_valid(payload)
    ), numbered as (
      select id, account_id, first_id, ms,
        dense_rank() over (partition by account_id order by first_id) as place
      from others
    ), spread as (
      select id, place + max(ms - place) over (partition by account_id order by first_id) as ms from numbered
    )
    update events set cursor_time = strftime('%Y-%m-%dT%H:%M:%fZ', spread.ms / 1000.0, 'unixepoch')
      from spread where spread.id = events.id`,
    `drop index events_of_calls`,
    `create index events_by_cursor_time on events (account_id, cursor_time) where cursor_time is not null`,
  ],
};
