import type { Migration } from '../database/migration.ts';
import { bytesTriggers, COUNTED_TEXTS } from '../schema/account-bytes.ts';

/** What a message answers, the choices that it offers, what was picked, and the message of which it is a part. */
export const migration0037: Migration = {
  name: '0037-message-context',
  statements: [
    'alter table messages add column reply_to text;',
    'alter table messages add column choices text;',
    'alter table messages add column choice text;',
    'alter table messages add column part_of text;',
    'create index messages_by_part on messages (part_of) where part_of is not null;',
    ...['added', 'changed', 'deleted'].map((change) => `drop trigger messages_bytes_${change};`),
    bytesTriggers('messages', COUNTED_TEXTS.messages!),
  ],
};
