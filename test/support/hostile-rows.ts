import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { HOSTILE_TEXTS } from './hostile-texts.ts';

const NOW = new Date().toISOString();
const LATER_MS = Date.parse(NOW) + 1_000;
/** Of names that are given in forms. */
export const LONGEST_NAME = 80;

/** Whose rows they are. */
export interface Owner {
  readonly agentId: string;
  /** A login of the agent, through which people write. */
  readonly numberId: string;
}

/**
 * Writes each hostile text to wherever others may have written it: people, agents, callers, MCP clients, models and
 * platforms. The gateway must not run. Conversation `con_N` and call `call_N` have the N-th text.
 */
export class HostileRows {
  readonly #db: SqliteDatabase.Database;
  readonly #owner: Owner;
  readonly #accountId: string;

  constructor(dataFolder: string, owner: Owner) {
    this.#db = new SqliteDatabase(join(dataFolder, 'gateway.db'));
    this.#owner = owner;
    const agent = this.#db.prepare('select account_id from agents where id = ?').get(owner.agentId);
    this.#accountId = (agent as { account_id: string }).account_id;
  }

  /** Beside them, so many conversations of which nobody has anything to fear. */
  write(quietConversations: number): void {
    this.#db.transaction(() => {
      for (let i = 0; i < quietConversations; i++) this.#converse(`con_quiet_${i}`, `Hello ${i}`);
      for (const [at, text] of HOSTILE_TEXTS.entries()) {
        this.#converse(`con_${at}`, text);
        this.#call(`call_${at}`, text);
        this.#allowClient(at, text);
        this.#ofModel(at, text);
        const said = { provider: text, error_detail: text, suggestion_shown: text };
        this.#insert('feedback', { id: `fb_${at}`, message: text, ...said, created_at: NOW });
        const name = text.slice(0, LONGEST_NAME);
        this.#insert('agents', { id: `agt_hostile_${at}`, name, is_default: 0, created_at: NOW });
        const change = { credential_kind: 'agent', credential_id: text, action: text, subject: text };
        this.#insert('audit_log', { ...change, detail: JSON.stringify({ [text]: text }), created_at: NOW });
      }
    })();
    this.#db.close();
  }

  #insert(table: string, row: Readonly<Record<string, unknown>>, isOfAccount = true): number {
    const whole: Record<string, unknown> = isOfAccount ? { account_id: this.#accountId, ...row } : row;
    const columns = Object.keys(whole);
    const text = `insert into ${table} (${columns}) values (${columns.map((name) => `@${name}`)})`;
    return Number(this.#db.prepare(text).run(whole).lastInsertRowid);
  }

  #converse(id: string, text: string): void {
    const login = { platform: 'telegram', member_type: 'sip_number', member_id: this.#owner.numberId };
    const people = { space_kind: 'channel', remote_id: text, remote_name: text, status: 'active' };
    this.#insert('conversations', { id, ...login, ...people, created_at: NOW });
    const message = { conversation_id: id, text, created_at: NOW, changed_at: NOW };
    const context = {
      sender_id: text,
      sender_name: text,
      reply_to: JSON.stringify({ messageId: null, author: text, text, fileIds: [] }),
      choices: JSON.stringify([text]),
      choice: text,
    };
    const inbound = { ...message, id: `msg_${id}`, direction: 'inbound', status: 'received' };
    const seq = this.#insert('messages', { ...inbound, ...context });
    const outbound = { ...message, id: `out_${id}`, direction: 'outbound', status: 'failed', error: text };
    const last = this.#insert('messages', outbound);
    this.#db.prepare('update conversations set last_seq = ? where id = ?').run(last, id);
    const about = { conversation_id: id, message_id: `msg_${id}`, platform: 'telegram' };
    const reaction = { ...about, emoji: text, action: 'added', person: { id: text, name: text } };
    const cursor_time = new Date(LATER_MS + seq).toISOString();
    const event = { type: 'dm_reaction', payload: JSON.stringify(reaction), cursor_time };
    const whose = { platform: 'telegram', agent_id: this.#owner.agentId };
    this.#insert('events', { ...whose, ...event, created_at: cursor_time });
  }

  #call(call_id: string, text: string): void {
    const who = { agent_id: this.#owner.agentId, agent_name: text, caller: text, meeting_url: text };
    const where = { room_id: 'room_1', participant_id: 'part_1', platform: 'sip', direction: 'inbound' };
    const end = { state: 'ended', termination_result: 'completed', termination_reason: text };
    this.#insert('calls', { call_id, ...who, ...where, ...end, created_at: NOW, ended_at: NOW });
    this.#insert('transcript_lines', { call_id, position: 0, speaker: text, text, created_at: NOW });
  }

  #allowClient(at: number, client_name: string): void {
    const client_id = `client_${at}`;
    const client = { client_id, client_name, redirect_uris: '[]', auth_method: 'none', registered_at: NOW };
    this.#insert('oauth_clients', client, false);
    const allowed = { id: `auth_${at}`, client_id, redirect_uri: 'https://client.example/', created_at: NOW };
    this.#insert('mcp_authorizations', allowed);
  }

  /** What models and their providers say. */
  #ofModel(at: number, text: string): void {
    const times = { created_at: NOW, updated_at: NOW };
    const asked = { agent_id: this.#owner.agentId, event_type: text, lane: `${at}`, status: 'failed' };
    const reply = { payload: JSON.stringify({ text }), response_body: text, error: text };
    const delivery_id = `dlv_${at}`;
    this.#insert('deliveries', { id: delivery_id, ...asked, ...reply, ...times });
    const action = { position: 0, kind: text, detail: JSON.stringify({ text }), status: 'failed' };
    this.#insert('delivery_actions', { delivery_id, ...action, reason: text, ...times });
    const preset = { kind: 'stt', provider: 'deepgram', name: text.slice(0, LONGEST_NAME), options: '{}' };
    const key = { enabled: 0, key_status: 'invalid', key_detail: text, checked_at: NOW };
    this.#insert('voice_configs', { id: `preset_${at}`, ...preset, ...key, ...times });
  }
}
