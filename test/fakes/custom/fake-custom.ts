import { sseEvent, type VendorCall } from '../model-vendor/vendor-exchange.ts';
import { FakeResponses } from '../responses/fake-responses.ts';
import type { ResponseEvent } from '../responses/response-writer.ts';
import { apiError, badKey } from '../responses/responses-errors.ts';
import type { StoredItem } from '../responses/stored-items.ts';

const BASE = '/v1';

/** How an endpoint remembers: by conversations, by ids of responses, not at all, or not at all without saying so. */
export type MemoryManner = 'conversations' | 'chain' | 'refused' | 'forgotten';

/** How an endpoint streams. */
export type StreamManner =
  /** As OpenAI does. */
  | 'whole'
  /** Without names and numbers of events and without the output at the end, then `[DONE]`. */
  | 'sparse'
  /** As `sparse`, and the last event is missing. */
  | 'unfinished'
  /** It answers with JSON, whatever was asked. */
  | 'never';

/** An endpoint that speaks the Responses API in a manner of its own. */
export class FakeCustom extends FakeResponses {
  override readonly models = [{ id: 'llama-5-8b' }];
  memory: MemoryManner = 'chain';
  streaming: StreamManner = 'whole';

  constructor(key = 'custom-key-0123456789abcdef') {
    super(key);
  }

  protected override route({ path }: VendorCall): string | null {
    return path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : null;
  }

  protected override authorize({ headers: { authorization = '' } }: VendorCall): void {
    if (authorization !== `Bearer ${this.key}`) throw badKey(authorization.replace('Bearer ', ''));
  }

  protected override get hasConversations(): boolean {
    return this.memory === 'conversations';
  }

  protected override chained(responseId: string): readonly StoredItem[] {
    if (this.memory === 'forgotten') return [];
    if (this.memory !== 'refused') return super.chained(responseId);
    const message = "Unsupported parameter: 'previous_response_id'.";
    throw apiError(400, message, { code: 'unsupported_parameter', param: 'previous_response_id' });
  }

  protected override get canStream(): boolean {
    return this.streaming !== 'never';
  }

  protected override eventText(event: ResponseEvent): string {
    if (this.streaming === 'whole') return super.eventText(event);
    const { sequence_number: _number, ...sparse } = event;
    if (event.type !== 'response.completed') return sseEvent(null, sparse);
    if (this.streaming === 'unfinished') return '';
    return sseEvent(null, { ...sparse, response: { ...(event.response as object), output: [] } });
  }

  protected override get streamEnd(): string {
    return this.streaming === 'whole' ? '' : sseEvent(null, '[DONE]');
  }
}
