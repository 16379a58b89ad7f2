import type { JsonApi } from '../http/json-api.ts';
import { listed, readError } from './anthropic-api.ts';
import { isMessageWith, SessionEvent } from './session-event.ts';
import { denials } from './turn-events.ts';

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
    const stream = await this.#api.stream({ method: 'GET', path, query, signal: this.#signal });
    return this.#read(stream);
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
