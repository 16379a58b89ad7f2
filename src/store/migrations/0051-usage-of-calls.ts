import type { Migration } from '../database/migration.ts';
import { answeredMs, CALLS_COUNTED } from '../schema/messages.ts';

/** Ended calls are counted by day, so that telling an account's usage does not read all its calls. */
export const migration0051: Migration = {
  name: '0051-usage-of-calls',
  statements: [
    'alter table usage_days add column calls integer not null default 0',
    'alter table usage_days add column call_ms integer not null default 0',
    `insert into usage_days (account_id, platform, day, calls, call_ms)
select account_id, platform, substr(created_at, 1, 10) as day, count(*), sum(${answeredMs('', 'ended_at')})
from calls where ended_at is not null group by account_id, platform, day
on conflict (account_id, platform, day) do update set calls = excluded.calls, call_ms = excluded.call_ms`,
    CALLS_COUNTED,
  ],
};
