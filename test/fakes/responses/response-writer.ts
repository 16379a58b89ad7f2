import { piecesOf, type ReplyPart } from '../model-vendor/scripted-reply.ts';
import type { ResponseRequest } from './response-request.ts';
import { newId, nowS, type StoredItem } from './stored-items.ts';

/** An event of a streamed response, with a `type`. */
export type ResponseEvent = { readonly type: string; readonly [field: string]: unknown };

type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed';
type Finish = { readonly status: Status; readonly reason?: string; readonly error?: object };

/** Writes one response: turns the parts of a reply into output items and the events that announce them. */
export class ResponseWriter {
  readonly id = newId('resp');
  readonly output: StoredItem[] = [];
  /** The reply is whole: only the event that says so is left. */
  isDone = false;
  readonly #wanted: ResponseRequest;
  readonly #conversationId: string | null;
  readonly #inputTokens: number;
  readonly #createdAt = nowS();
  #sequence = 0;

  constructor(wanted: ResponseRequest, conversationId: string | null, inputTokens: number) {
    this.#wanted = wanted;
    this.#conversationId = conversationId;
    this.#inputTokens = inputTokens;
  }

  async *events(parts: AsyncIterable<ReplyPart>): AsyncGenerator<ResponseEvent, void> {
    yield this.#event('response.created', { response: this.#response({ status: 'in_progress' }) });
    yield this.#event('response.in_progress', { response: this.#response({ status: 'in_progress' }) });
    let finish: Finish = { status: 'completed' };
    for await (const part of parts) {
      const end = yield* this.#part(part);
      if (end) finish = end;
      if (end || part.kind === 'approval') break;
    }
    this.isDone = finish.status !== 'failed';
    yield this.#event(`response.${finish.status}`, { response: this.#response(finish) });
  }

  *#part(part: ReplyPart): Generator<ResponseEvent, Finish | null> {
    switch (part.kind) {
      case 'text':
        yield* this.#message('output_text', part.text, 'final_answer');
        return null;
      case 'commentary':
        yield* this.#message('output_text', part.text, 'commentary');
        return null;
      case 'refusal':
        yield* this.#message('refusal', part.text, null);
        return null;
      case 'reasoning': {
        const summary = [{ type: 'summary_text', text: part.text }];
        yield* this.#item({ id: newId('rs'), type: 'reasoning', summary });
        return null;
      }
      case 'tool':
        yield* this.#tool(part.name, part.output);
        return null;
      case 'approval':
        yield* this.#approval(part.name);
        return null;
      case 'length':
        return { status: 'incomplete', reason: 'max_output_tokens' };
      case 'filtered':
        return { status: 'incomplete', reason: 'content_filter' };
      case 'failure':
        return { status: 'failed', error: { code: part.code, message: part.message } };
    }
  }

  *#message(type: 'output_text' | 'refusal', text: string, phase: string | null): Generator<ResponseEvent> {
    const head = { id: newId('msg'), type: 'message', role: 'assistant', ...(phase && { phase }) };
    const output_index = this.output.length;
    const at = { item_id: head.id, output_index, content_index: 0 };
    yield this.#event('response.output_item.added', {
      output_index,
      item: { ...head, status: 'in_progress', content: [] },
    });
    yield this.#event('response.content_part.added', { ...at, part: partOf(type, '') });
    for (const delta of piecesOf(text))
      yield this.#event(`response.${type}.delta`, this.#delta(type, at, delta));
    const done = type === 'refusal' ? { refusal: text } : { text, logprobs: [] };
    yield this.#event(`response.${type}.done`, { ...at, ...done });
    const part = partOf(type, text);
    yield this.#event('response.content_part.done', { ...at, part });
    const item = { ...head, status: 'completed', content: [part] };
    this.output.push(item);
    yield this.#event('response.output_item.done', { output_index, item });
  }

  #delta(type: string, at: object, delta: string): object {
    const isPadded = this.#wanted.stream_options?.include_obfuscation !== false;
    return {
      ...at,
      delta,
      ...(type === 'output_text' && { logprobs: [] }),
      ...(isPadded && { obfuscation: 'x'.repeat(16 - (delta.length % 16)) }),
    };
  }

  *#item(item: StoredItem): Generator<ResponseEvent> {
    const output_index = this.output.length;
    yield this.#event('response.output_item.added', { output_index, item });
    this.output.push(item);
    yield this.#event('response.output_item.done', { output_index, item });
  }

  *#tool(name: string, output: string): Generator<ResponseEvent> {
    const [tool] = this.#wanted.tools ?? [];
    if (tool && tool.require_approval !== 'never') return yield* this.#approval(name);
    const server_label = tool?.server_label ?? 'own';
    const tools = [{ name, input_schema: {}, description: null, annotations: null }];
    yield* this.#item({ id: newId('mcpl'), type: 'mcp_list_tools', server_label, tools, error: null });
    yield* this.#item({
      id: newId('mcp'),
      type: 'mcp_call',
      status: 'completed',
      approval_request_id: null,
      arguments: '{}',
      error: null,
      name,
      output,
      server_label,
    });
  }

  *#approval(name: string): Generator<ResponseEvent> {
    const server_label = this.#wanted.tools?.[0]?.server_label ?? 'own';
    yield* this.#item({
      id: newId('mcpr'),
      type: 'mcp_approval_request',
      arguments: '{}',
      name,
      server_label,
    });
  }

  #event(type: string, fields: object): ResponseEvent {
    const event = { type, sequence_number: this.#sequence, ...fields };
    this.#sequence += 1;
    return event;
  }

  #response({ status, reason, error }: Finish): object {
    const wanted = this.#wanted;
    return {
      id: this.id,
      object: 'response',
      created_at: this.#createdAt,
      status,
      error: error ?? null,
      incomplete_details: reason === undefined ? null : { reason },
      instructions: wanted.instructions ?? null,
      max_output_tokens: wanted.max_output_tokens ?? null,
      model: wanted.model ?? 'stored',
      output: [...this.output],
      parallel_tool_calls: true,
      previous_response_id: wanted.previous_response_id ?? null,
      conversation: this.#conversationId === null ? null : { id: this.#conversationId },
      store: wanted.store ?? true,
      temperature: 1,
      tool_choice: 'auto',
      // The token of a tool never comes back.
      tools: (wanted.tools ?? []).map(({ authorization: _secret, ...tool }) => tool),
      top_p: 1,
      metadata: wanted.metadata ?? {},
      usage: status === 'in_progress' ? null : this.#usage(),
    };
  }

  #usage(): object {
    const output_tokens = tokensOf(this.output);
    return {
      input_tokens: this.#inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: this.#inputTokens + output_tokens,
    };
  }
}

/** About as many as a model would count. */
export function tokensOf(items: readonly StoredItem[]): number {
  const texts = items.flatMap(({ content = [] }) => content.map((part) => part.text ?? part.refusal ?? ''));
  return texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
}

function partOf(type: 'output_text' | 'refusal', text: string) {
  return type === 'refusal' ? { type, refusal: text } : { type, text, annotations: [], logprobs: [] };
}
