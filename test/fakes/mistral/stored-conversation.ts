import type { InputEntry } from './mistral-requests.ts';

/** An entry of a conversation on the wire. */
export interface StoredEntry {
  readonly object: 'entry';
  readonly type: string;
  readonly id: string;
  readonly created_at: string;
  readonly [field: string]: unknown;
}

/** What answers in a conversation. It does not change. */
export interface ConversationSetup {
  readonly model: string;
  readonly agentId: string | null;
  readonly instructions: string;
  readonly connectorIds: readonly string[];
}

export interface StoredConversation {
  readonly id: string;
  readonly setup: ConversationSetup;
  entries: readonly StoredEntry[];
}

let count = 0;

export function newId(prefix: string): string {
  count += 1;
  return `${prefix}_fake${String(count).padStart(8, '0')}`;
}

export function nowIso(): string {
  return new Date().toISOString();
}

export function newEntry(type: string, fields: object): StoredEntry {
  return {
    object: 'entry',
    type,
    id: newId('entry'),
    created_at: nowIso(),
    completed_at: nowIso(),
    ...fields,
  };
}

export function inputEntry({ role, content }: InputEntry): StoredEntry {
  return newEntry('message.input', { role, content, prefix: false });
}

export function conversationWire({ id, setup }: StoredConversation): object {
  const { model, agentId, instructions } = setup;
  const answerer = agentId === null ? { model, instructions, tools: [] } : { agent_id: agentId };
  return { object: 'conversation', id, created_at: nowIso(), updated_at: nowIso(), ...answerer };
}
