import type { Migration } from '../database/migration.ts';
import { bytesTriggers, COUNTED_TEXTS } from '../schema/account-bytes.ts';
import { CALL_TURNS } from '../schema/messages.ts';

/** How long the far end of a call waited for each answer, in the call's record and that of the model's delivery. */
export const migration0042: Migration = {
  name: '0042-turn-metrics',
  statements: [
    CALL_TURNS,
    bytesTriggers('call_turns', COUNTED_TEXTS.call_turns!),
    'alter table deliveries add column turn_metrics text',
  ],
};
