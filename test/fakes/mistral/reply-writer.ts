import { piecesOf, type ReplyPart } from '../model-vendor/scripted-reply.ts';
import { newEntry, newId, nowIso, type StoredEntry } from './stored-conversation.ts';

/** An event of a streamed reply. */
export type ReplyEvent = { readonly type: string; readonly [field: string]: unknown };

const DEFAULT_MAX_TOKENS = 1_000;

/** Writes one reply: turns its parts into entries and the events that announce them. */
export class ReplyWriter {
  readonly entries: StoredEntry[] = [];
  readonly #model: string;
  readonly #maxTokens: number;
  isFailed = false;
  #outputTokens = 5;

  constructor(model: string, maxTokens = DEFAULT_MAX_TOKENS) {
    this.#model = model;
    this.#maxTokens = maxTokens;
  }

  get usage(): object {
    return {
      prompt_tokens: 10,
      completion_tokens: this.#outputTokens,
      total_tokens: 10 + this.#outputTokens,
    };
  }

  /** Yields the events of the reply, without its start and end, until a part ends it. */
  async *events(parts: AsyncIterable<ReplyPart>): AsyncGenerator<ReplyEvent, void> {
    for await (const part of parts) {
      yield* this.#part(part);
      if (this.isFailed || part.kind === 'length' || part.kind === 'approval') return;
    }
  }

  *#part(part: ReplyPart): Generator<ReplyEvent, void> {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        yield* this.#message(part.text);
        break;
      case 'reasoning':
        yield* this.#thought(part.text);
        break;
      case 'tool':
        yield* this.#tool(part.name);
        break;
      case 'approval':
        yield this.#function(part.name);
        break;
      case 'length':
        this.#outputTokens = this.#maxTokens;
        break;
      case 'failure':
        this.isFailed = true;
        yield {
          type: 'conversation.response.error',
          created_at: nowIso(),
          message: part.message,
          code: Number(part.code),
        };
        break;
      default:
    }
  }

  *#message(text: string): Generator<ReplyEvent, void> {
    const entry = newEntry('message.output', { role: 'assistant', model: this.#model, content: text });
    for (const content of piecesOf(text)) yield this.#delta(entry, content);
    this.entries.push(entry);
  }

  *#thought(text: string): Generator<ReplyEvent, void> {
    const content = { type: 'thinking', thinking: [{ type: 'text', text }] };
    const entry = newEntry('message.output', { role: 'assistant', model: this.#model, content: [content] });
    yield this.#delta(entry, content);
    this.entries.push(entry);
  }

  #delta({ id }: StoredEntry, content: unknown): ReplyEvent {
    const at = { output_index: this.entries.length, content_index: 0 };
    return {
      type: 'message.output.delta',
      created_at: nowIso(),
      id,
      ...at,
      role: 'assistant',
      model: this.#model,
      content,
    };
  }

  *#tool(name: string): Generator<ReplyEvent, void> {
    const entry = newEntry('tool.execution', { name, arguments: '{}', info: {} });
    const at = { id: entry.id, output_index: this.entries.length, created_at: nowIso(), name };
    yield { type: 'tool.execution.started', ...at, arguments: '{}' };
    yield { type: 'tool.execution.done', ...at, info: {} };
    this.entries.push(entry);
  }

  #function(name: string): ReplyEvent {
    const call = { tool_call_id: newId('call'), name, arguments: '{}' };
    const entry = newEntry('function.call', call);
    this.entries.push(entry);
    const at = { id: entry.id, output_index: this.entries.length - 1, created_at: nowIso() };
    return { type: 'function.call.delta', ...at, ...call };
  }
}
