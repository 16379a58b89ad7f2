import type { Migration } from '../database/migration.ts';

/** Voice presets. At most one of each kind is enabled per account. */
export const migration0018: Migration = {
  name: '0018-voice-configs',
  statements: [
    `create table voice_configs (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      kind text not null check (kind in ('stt', 'tts')),
      provider text not null,
      name text not null,
      region text,
      options text not null,
      sealed_key text,
      enabled integer not null check (enabled in (0, 1)),
      key_status text not null,
      key_detail text,
      checked_at text not null,
      created_at text not null,
      updated_at text not null
    ) strict`,
    `create index voice_configs_of_account on voice_configs (account_id)`,
    `create unique index enabled_voice_config on voice_configs (account_id, kind) where enabled = 1`,
  ],
};
