import type { AgentTables } from '../agents/agent-tables.ts';
import type { InlineTables } from '../inline/inline-tables.ts';
import type { KeyTables } from '../keys/key-tables.ts';
import type { LoginTables } from '../logins/login-tables.ts';
import type { MessageTables } from '../messages/message-tables.ts';
import type { PeopleTables } from '../people/people-tables.ts';
import type { SpeechTables } from '../speech/speech-tables.ts';

/**
 * The tables as TypeScript types. Database columns are snake_case. Timestamps are ISO 8601 in UTC with milliseconds, so
 * they sort chronologically. `columns.ts` says how values are stored that are neither texts nor numbers.
 */
export interface Tables
  extends AgentTables,
    InlineTables,
    KeyTables,
    LoginTables,
    MessageTables,
    PeopleTables,
    SpeechTables {
  facts: FactsTable;
}

/** Facts about the database itself. */
interface FactsTable {
  name: string;
  value: string;
}
