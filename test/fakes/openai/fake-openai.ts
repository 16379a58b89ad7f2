import type { IncomingMessage, ServerResponse } from 'node:http';
import type { VendorCall } from '../model-vendor/vendor-exchange.ts';
import { FakeResponses } from '../responses/fake-responses.ts';
import { badKey } from '../responses/responses-errors.ts';
import { OPENAI_MODELS } from './openai-models.ts';

const BASE = '/v1';

/**
 * The part of OpenAI that has models: `/v1/responses`, `/v1/conversations` and `/v1/models`. As a part of a whole vendor
 * it leaves the list to that.
 */
export class FakeOpenAi extends FakeResponses {
  override readonly models = OPENAI_MODELS;

  constructor(key = 'sk-proj-FakeKeyOfOpenAi0123456789') {
    super(key);
  }

  override serve(incoming: IncomingMessage, response: ServerResponse): boolean {
    const isOurs = this.isAlone || /^\/v1\/(?:responses|conversations)\b/.test(incoming.url ?? '');
    return isOurs && super.serve(incoming, response);
  }

  protected override route({ path }: VendorCall): string | null {
    return path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : null;
  }

  protected override authorize({ headers: { authorization = '' } }: VendorCall): void {
    if (authorization !== `Bearer ${this.key}`) throw badKey(authorization.replace('Bearer ', ''));
  }
}
