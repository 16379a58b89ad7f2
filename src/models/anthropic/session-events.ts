import * as z from 'zod';
import type { JsonApi } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelTurn, PastTurn } from '../model-client.ts';
import { listed, readError } from './anthropic-api.ts';

const Typed = z.object({ type: z.string() });

/** Any event of a session: the fields that the gateway reads. https://platform.claude.com/docs/en/managed-agents */
export const SessionEvent = z.object({
  type: z.string(),
  id: optionalField(z.string()),
  /** Null while the event is queued. */
  processed_at: optionalField(z.string().nullable()),
  content: optionalField(z.array(z.object({ type: z.string(), text: optionalField(z.string()) }))),
  event: optionalField(z.object({ type: z.string(), id: z.string() })),
  event_id: optionalField(z.string()),
  delta: optionalField(
    z.object({ content: z.object({ type: z.string(), text: optionalField(z.string()) }) }),
  ),
  stop_reason: optionalField(z.object({ type: z.string(), event_ids: optionalField(z.array(z.string())) })),
  stop_details: optionalField(z.object({ explanation: optionalField(z.string()) })),
  error: optionalField(
    z.object({ type: z.string(), message: optionalField(z.string()), retry_status: optionalField(Typed) }),
  ),
  model_usage: optionalField(
    z.object({
      input_tokens: optionalField(z.number()),
      cache_creation_input_tokens: optionalField(z.number()),
      cache_read_input_tokens: optionalField(z.number()),
      output_tokens: optionalField(z.number()),
    }),
  ),
});
export type SessionEvent = z.output<typeof SessionEvent>;

export function textOf({ content }: SessionEvent): string {
  return (content ?? []).map(({ text }) => text ?? '').join('');
}

export function isMessageWith(marker: string, event: SessionEvent): boolean {
  return event.type === 'user.message' && textOf(event).includes(marker);
}

const SPEAKERS: Readonly<Record<PastTurn['role'], string>> = { user: 'User', assistant: 'You' };
const DENIED = 'Nobody is here to confirm this. Go on without it.';

/** The events of one session, as they come and as they are kept. Methods reject with a ModelFault. */
export class SessionEvents {
  readonly #api: JsonApi;
  readonly #path: string;
  readonly #signal: AbortSignal;
  /** Types of what the agent has asked for, by id. */
  readonly #types = new Map<string, string>();

  constructor(api: JsonApi, session: string, signal: AbortSignal) {
    this.#api = api;
    this.#path = `/v1/sessions/${encodeURIComponent(session)}/events`;
    this.#signal = signal;
  }

  /** Resolves once the stream is open. It begins now: what was before is only in `listFrom`. */
  async open(): Promise<AsyncIterable<SessionEvent>> {
    const query = { 'event_deltas[]': 'agent.message' };
    const path = `${this.#path}/stream`;
    return this.#read(await this.#api.stream({ method: 'GET', path, query, signal: this.#signal }));
  }

  /** Resolves once the session has these events. They are processed in order. */
  send(events: readonly object[]): Promise<void> {
    return this.#api.tell({ method: 'POST', path: this.#path, body: { events }, signal: this.#signal });
  }

  /** Resolves with the events from the last message with this marker on; null: there is none. */
  async listFrom(marker: string): Promise<SessionEvent[] | null> {
    const newestFirst = { path: this.#path, query: { order: 'desc' }, signal: this.#signal };
    const events: SessionEvent[] = [];
    for await (const event of listed(this.#api, SessionEvent, newestFirst)) {
      this.#note(event);
      events.push(event);
      if (isMessageWith(marker, event)) return events.reverse();
    }
    return null;
  }

  /** Denies what the agent asks for. Nobody would answer it otherwise. */
  deny(ids: readonly string[]): Promise<void> {
    return this.send(denials(ids, this.#types));
  }

  async *#read(stream: Awaited<ReturnType<JsonApi['stream']>>): AsyncGenerator<SessionEvent, void> {
    for await (const { name, data } of stream) {
      const event = SessionEvent.safeParse(data).data;
      if (name === 'error') throw this.#api.brokenStream(readError(data));
      if (event === undefined) continue;
      this.#note(event);
      yield event;
    }
  }

  #note({ id, type }: SessionEvent): void {
    if (id !== undefined && type.startsWith('agent.')) this.#types.set(id, type);
  }
}

/**
 * Returns the user's message of a turn. Sessions take no messages of the assistant, so earlier turns are quoted in a block
 * before the text.
 */
export function userMessage({ text, marker, history }: ModelTurn, isFirst: boolean): object {
  const said = text ?? `${marker} Answer the message before this one.`;
  const texts = isFirst && history.length > 0 ? [quoted(history), said] : [said];
  return { type: 'user.message', content: texts.map((part) => ({ type: 'text', text: part })) };
}

/**
 * Returns answers to what an agent waits for. The gateway's own tools need no confirmation, so it is a tool of an agent
 * that somebody has picked.
 */
function denials(ids: readonly string[], types: ReadonlyMap<string, string>): object[] {
  return ids.map((id) =>
    types.get(id) === 'agent.custom_tool_use'
      ? {
          type: 'user.custom_tool_result',
          custom_tool_use_id: id,
          is_error: true,
          content: [{ type: 'text', text: DENIED }],
        }
      : { type: 'user.tool_confirmation', tool_use_id: id, result: 'deny', deny_message: DENIED },
  );
}

function quoted(history: readonly PastTurn[]): string {
  const turns = history.map(({ role, text }) => `${SPEAKERS[role]}: ${text}`);
  return ['[earlier in this conversation]', ...turns, '[end of the earlier part]'].join('\n\n');
}
