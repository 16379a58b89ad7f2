import { FakeModelVendor } from '../model-vendor/fake-model-vendor.ts';
import { partsOf, piecesOf, type ReplyPart } from '../model-vendor/scripted-reply.ts';
import type { VendorError } from '../model-vendor/vendor-error.ts';
import { sseEvent, type VendorAnswer, type VendorCall } from '../model-vendor/vendor-exchange.ts';
import type { Refusal } from '../model-vendor/vendor-fault.ts';
import { apiError, badKey, refusalOf, unknownModel, unknownUrl } from '../responses/responses-errors.ts';
import { newId, nowS } from '../responses/stored-items.ts';
import { ChatRequest } from './chat-request.ts';

/** What a server refuses: models that think, old servers and strict templates do. */
export type ChatStrictness = 'max_tokens' | 'stream_options' | 'system';

type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** A server that speaks Chat Completions and keeps nothing. */
export class FakeChat extends FakeModelVendor {
  readonly models = [{ id: 'qwen-7' }, { id: 'gpt-oss-20b' }];
  readonly strictness = new Set<ChatStrictness>();
  canStream = true;
  /** The field in which a model's reasoning goes out. */
  reasoningField: 'reasoning_content' | 'reasoning' = 'reasoning_content';

  constructor(key = 'chat-key-0123456789abcdef') {
    super(key);
  }

  get turns(): ChatRequest[] {
    return this.requests
      .filter(({ path }) => path.endsWith('/chat/completions'))
      .map(({ body }) => body as ChatRequest);
  }

  protected override refusal(why: Refusal, retryAfterS: number | null): VendorError {
    return refusalOf(why, retryAfterS);
  }

  protected override async answer(call: VendorCall): Promise<VendorAnswer> {
    const { method, path, headers } = call;
    if (headers.authorization !== `Bearer ${this.key}`) throw badKey(headers.authorization ?? '');
    if (method === 'GET' && path === '/v1/models')
      return { body: { object: 'list', data: this.models.map(({ id }) => ({ id, object: 'model' })) } };
    if (method !== 'POST' || path !== '/v1/chat/completions') throw unknownUrl(method, path);
    const wanted = this.#read(call.body);
    const parts = partsOf(this.reply, {
      model: wanted.model,
      ...told(wanted),
      tools: [],
      signal: call.signal,
    });
    if (wanted.stream && this.canStream)
      return { stream: this.#chunks(wanted, parts), contentType: 'text/event-stream' };
    return { body: await this.#whole(parts) };
  }

  #read(body: unknown): ChatRequest {
    const { data, error } = ChatRequest.safeParse(body);
    if (error) throw this.offence(apiError(400, error.message));
    if (!this.models.some(({ id }) => id === data.model)) throw unknownModel(data.model);
    if (this.strictness.has('max_tokens') && data.max_tokens !== undefined) {
      const message =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
      throw apiError(400, message, { code: 'unsupported_parameter', param: 'max_tokens' });
    }
    if (this.strictness.has('stream_options') && data.stream_options)
      throw apiError(422, 'Extra inputs are not permitted: stream_options');
    const [first, ...rest] = data.messages;
    if (this.strictness.has('system') && first!.role === 'system')
      throw apiError(400, 'System role not supported', { type: 'BadRequestError' });
    const spoken = first!.role === 'system' ? rest : data.messages;
    if (spoken.some(({ role }, at) => role !== (at % 2 === 0 ? 'user' : 'assistant')))
      throw this.offence(
        apiError(400, 'Conversation roles must alternate user/assistant/user/assistant/...'),
      );
    return data;
  }

  async *#chunks(wanted: ChatRequest, parts: AsyncIterable<ReplyPart>): AsyncGenerator<string, void> {
    const head = {
      id: newId('chatcmpl'),
      object: 'chat.completion.chunk',
      created: nowS(),
      model: wanted.model,
    };
    const chunk = (delta: object, finish_reason: string | null = null) =>
      sseEvent(null, { ...head, choices: [{ index: 0, delta, finish_reason }] });
    yield chunk({ role: 'assistant', content: '' });
    let finish: Finish = 'stop';
    let length = 0;
    for await (const part of parts) {
      if (part.kind === 'failure') {
        yield sseEvent(null, { error: { message: part.message, type: 'server_error', code: part.code } });
        return;
      }
      const { fields, end } = this.#written(part);
      for (const one of fields) yield chunk(one);
      length += 'text' in part ? part.text.length : 0;
      finish = end ?? finish;
      if (end) break;
    }
    yield chunk({}, finish);
    if (wanted.stream_options?.include_usage)
      yield sseEvent(null, { ...head, choices: [], usage: usage(length) });
    yield sseEvent(null, '[DONE]');
  }

  async #whole(parts: AsyncIterable<ReplyPart>): Promise<object> {
    let content = '';
    let length = 0;
    let rest = {};
    let finish: Finish = 'stop';
    for await (const part of parts) {
      if (part.kind === 'failure') throw apiError(500, part.message, { code: part.code });
      if (part.kind === 'text') content += part.text;
      const { fields, end } = this.#written(part);
      length += 'text' in part ? part.text.length : 0;
      if (part.kind !== 'text') rest = Object.assign(rest, ...fields);
      finish = end ?? finish;
      if (end) break;
    }
    const message = { role: 'assistant', ...rest, content };
    const choices = [{ index: 0, message, finish_reason: finish }];
    return { id: newId('chatcmpl'), object: 'chat.completion', choices, usage: usage(length) };
  }

  /** The deltas of a part, and the end that it is. */
  #written(part: ReplyPart): { readonly fields: readonly object[]; readonly end?: Finish } {
    switch (part.kind) {
      case 'text':
        return { fields: piecesOf(part.text).map((content) => ({ content })) };
      case 'reasoning':
        return {
          fields: piecesOf(part.text).map((text) => ({ content: null, [this.reasoningField]: text })),
        };
      case 'refusal':
        return { fields: [{ refusal: part.text }] };
      case 'tool':
      case 'approval': {
        const call = { index: 0, id: newId('call'), type: 'function' };
        const tool_calls = [{ ...call, function: { name: part.name, arguments: '{}' } }];
        return { fields: [{ tool_calls }], end: 'tool_calls' };
      }
      case 'length':
        return { fields: [], end: 'length' };
      case 'filtered':
        return { fields: [], end: 'content_filter' };
      default:
        return { fields: [] };
    }
  }
}

function usage(length: number): object {
  const completion_tokens = Math.ceil(length / 4);
  return { prompt_tokens: 12, completion_tokens, total_tokens: 12 + completion_tokens };
}

function told({ messages }: ChatRequest) {
  const said = messages.filter(({ role }) => role !== 'system');
  return {
    instructions: messages.find(({ role }) => role === 'system')?.content ?? '',
    history: said
      .slice(0, -1)
      .map(({ role, content }) => ({ role: role as 'user' | 'assistant', text: content })),
    text: said.at(-1)?.content ?? '',
  };
}
