import {
  type ModelTurnSeen,
  partsOf,
  piecesOf,
  type ReplyPart,
  type Script,
} from '../model-vendor/scripted-reply.ts';
import type { LostTurn } from '../model-vendor/vendor-fault.ts';
import { apiError } from './anthropic-errors.ts';
import type { SentEvent, SessionServers, SessionTools } from './anthropic-requests.ts';
import { SessionLog, type WireEvent } from './session-log.ts';
import { newId, nowIso } from './stored-objects.ts';

export interface SessionSetup {
  readonly model: string;
  readonly system: string;
  readonly tools: SessionTools;
  readonly servers: SessionServers;
  /** Bearers in the session's vaults, by the URL of their server. */
  readonly bearers: ReadonlyMap<string, string>;
  /** Parts of messages go out before the message. */
  readonly hasDeltas: () => boolean;
  readonly reply: () => Script;
}

type Message = Extract<SentEvent, { type: 'user.message' }>;
type Status = 'idle' | 'running' | 'terminated';

/** A session: takes events in order, one turn at a time. */
export class FakeSession {
  readonly id = newId('sesn');
  readonly setup: SessionSetup;
  readonly log = new SessionLog();
  status: Status = 'idle';
  archived_at: string | null = null;
  /** What becomes of the next message. */
  fate: LostTurn | null = null;
  /** So many requests to delete the session still meet a running one. */
  deletesRefused = 0;
  interruptions = 0;
  readonly #queue: WireEvent[] = [];
  readonly #history: { role: 'user' | 'assistant'; text: string }[] = [];
  readonly #waiting = new Map<string, () => void>();
  #turn = new AbortController();

  constructor(setup: SessionSetup) {
    this.setup = setup;
  }

  /** Returns the events as they are queued. */
  take(events: readonly SentEvent[]): WireEvent[] {
    if (this.status === 'terminated' || this.archived_at)
      throw apiError(409, `session ${this.id} is not active`);
    for (const event of events) this.#check(event);
    return events.map((event) => this.#takeOne(event));
  }

  #check(event: SentEvent): void {
    const id =
      'tool_use_id' in event
        ? event.tool_use_id
        : 'custom_tool_use_id' in event
          ? event.custom_tool_use_id
          : null;
    if (id !== null && !this.#waiting.has(id)) throw apiError(400, `no tool use ${id} is waiting`);
    if ('deny_message' in event && event.deny_message && event.result !== 'deny') {
      throw apiError(400, 'deny_message: only allowed when result is deny');
    }
  }

  #takeOne(event: SentEvent): WireEvent {
    const fate = event.type === 'user.message' ? this.fate : null;
    if (event.type === 'user.message') this.fate = null;
    if (fate === 'absent') return { id: newId('sevt'), ...event, processed_at: null };
    const queued = this.log.add(event.type, { ...event, processed_at: null });
    switch (event.type) {
      case 'user.message':
        this.#queue.push(queued);
        if (this.status === 'idle') void this.#work(fate);
        break;
      case 'user.interrupt':
        this.interruptions += 1;
        this.#process(queued);
        this.#turn.abort();
        for (const id of this.#waiting.keys()) this.#settle(id);
        break;
      case 'user.tool_confirmation':
        this.#process(queued);
        this.#settle(event.tool_use_id);
        break;
      case 'user.custom_tool_result':
        this.#process(queued);
        this.#settle(event.custom_tool_use_id);
    }
    return { ...queued, processed_at: null };
  }

  /** Events of the user come a second time when they are processed. */
  #process(event: WireEvent): void {
    event.processed_at = nowIso();
    this.log.send({ ...event });
  }

  #settle(id: string): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }

  async #work(fate: LostTurn | null): Promise<void> {
    this.status = 'running';
    // The answer to the request comes first.
    await new Promise(setImmediate);
    for (let event = this.#queue.shift(); event; event = this.#queue.shift()) {
      this.log.add('session.status_running');
      this.#process(event);
      await this.#run(event as unknown as Message, fate);
      if ((this.status as Status) === 'terminated') return;
    }
    this.status = 'idle';
  }

  async #run({ content }: Message, fate: LostTurn | null): Promise<void> {
    this.#turn = new AbortController();
    const said = content.map(({ text }) => ({ role: 'user', text }) as const);
    const seen = this.#seen(said);
    const start = this.log.add('span.model_request_start');
    this.#history.push(...said);
    if (fate === 'unanswered') return this.#exhausted('model_overloaded_error', 'the model is overloaded');
    for await (const part of partsOf(this.setup.reply(), seen)) {
      if (this.#turn.signal.aborted) break;
      if (await this.#say(part)) return;
    }
    this.log.add('span.model_request_end', {
      model_request_start_id: start.id,
      is_error: false,
      model_usage: USAGE,
    });
    this.#idle({ type: 'end_turn' });
  }

  #seen(said: readonly { readonly role: 'user'; readonly text: string }[]): ModelTurnSeen {
    const { model, system, servers, bearers } = this.setup;
    const tools = servers.map(({ url }) => ({ url, bearer: bearers.get(url) ?? null }));
    const history = [...this.#history, ...said.slice(0, -1)];
    return {
      model,
      instructions: system,
      history,
      text: said.at(-1)!.text,
      tools,
      signal: this.#turn.signal,
    };
  }

  /** Returns whether the turn is over. */
  async #say(part: ReplyPart): Promise<boolean> {
    switch (part.kind) {
      case 'text':
        await this.#message(part.text);
        return false;
      case 'reasoning':
        this.log.add('agent.thinking');
        return false;
      case 'tool':
        await this.#tool(part.name, part.output);
        return false;
      case 'approval':
        await this.#ask(part.name);
        return false;
      case 'refusal':
        this.#idle({ type: 'refusal' }, { type: 'refusal', category: null, explanation: part.text });
        return true;
      case 'filtered':
        this.#idle({ type: 'refusal' });
        return true;
      case 'failure':
        return this.#fail(part.code, part.message);
      default:
        return false;
    }
  }

  async #message(text: string): Promise<void> {
    const id = newId('sevt');
    if (this.setup.hasDeltas()) {
      this.log.send({ type: 'event_start', event: { type: 'agent.message', id } });
      for (const piece of piecesOf(text)) {
        if (this.#turn.signal.aborted) return;
        const content = { type: 'text', text: piece };
        this.log.send({
          type: 'event_delta',
          event_id: id,
          delta: { type: 'content_delta', index: 0, content },
        });
        await new Promise(setImmediate);
      }
    }
    this.log.add('agent.message', { id, content: [{ type: 'text', text }] });
    this.#history.push({ role: 'assistant', text });
  }

  /** Without a policy that allows it, a tool of an MCP server has to be confirmed. */
  async #tool(name: string, output: string): Promise<void> {
    const [server] = this.setup.servers;
    const toolset = this.setup.tools.find((tool) => tool.type === 'mcp_toolset');
    if (toolset?.default_config?.permission_policy?.type !== 'always_allow') return await this.#ask(name);
    const use = this.log.add('agent.mcp_tool_use', { name, input: {}, mcp_server_name: server?.name });
    const content = [{ type: 'text', text: output }];
    this.log.add('agent.mcp_tool_result', { mcp_tool_use_id: use.id, content, is_error: false });
  }

  async #ask(name: string): Promise<void> {
    const isCustom = this.setup.tools.some((tool) => tool.type === 'custom' && tool.name === name);
    const use = isCustom
      ? this.log.add('agent.custom_tool_use', { name, input: {} })
      : this.log.add('agent.tool_use', { name, input: {}, evaluated_permission: 'ask' });
    const answered = new Promise<void>((resolve) => this.#waiting.set(use.id, resolve));
    this.#idle({ type: 'requires_action', event_ids: [use.id] });
    await answered;
    this.log.add('session.status_running');
  }

  #fail(code: string, message: string): boolean {
    if (code === 'retrying') {
      this.#error('model_overloaded_error', message, 'retrying');
      this.log.add('session.status_rescheduled');
      this.log.add('session.status_running');
      return false;
    }
    if (code === 'terminated') {
      this.#error('unknown_error', message, 'terminal');
      this.status = 'terminated';
      this.log.add('session.status_terminated');
    } else {
      this.#exhausted(code, message);
    }
    return true;
  }

  #exhausted(type: string, message: string): void {
    this.#error(type, message, 'exhausted');
    this.#idle({ type: 'retries_exhausted' });
  }

  #error(type: string, message: string, retry: string): void {
    this.log.add('session.error', { error: { type, message, retry_status: { type: retry } } });
  }

  #idle(stop_reason: object, stop_details: object | null = null): void {
    this.log.add('session.status_idle', { stop_reason, stop_details });
  }
}

const USAGE = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation_input_tokens: 2,
  cache_read_input_tokens: 3,
};
