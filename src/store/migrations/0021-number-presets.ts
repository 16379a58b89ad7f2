import type { Migration } from '../database/migration.ts';

/** Voice presets of a phone number. */
export const migration0021: Migration = {
  name: '0021-number-presets',
  statements: ['stt', 'tts'].map(
    (kind) =>
      `alter table sip_dids add column ${kind}_voice_config_id text references voice_configs (id) on delete set null`,
  ),
};
