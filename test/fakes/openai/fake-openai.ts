import type { VendorCall } from '../model-vendor/vendor-exchange.ts';
import { FakeResponses } from '../responses/fake-responses.ts';
import { badKey } from '../responses/responses-errors.ts';

const BASE = '/v1';

/** The part of OpenAI that has models: `/v1/responses`, `/v1/conversations` and `/v1/models`. */
export class FakeOpenAi extends FakeResponses {
  override readonly models = [
    { id: 'gpt-6-luna', isReasoning: true },
    { id: 'gpt-6.1-sol', isReasoning: true },
    { id: 'gpt-4o-mini', shutdownDate: '2027-01-14' },
    { id: 'gpt-4o-mini-tts' },
    { id: 'text-embedding-3-large' },
  ] as const;

  constructor(key = 'sk-proj-FakeKeyOfOpenAi0123456789') {
    super(key);
  }

  protected override route({ path }: VendorCall): string | null {
    return path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : null;
  }

  protected override authorize({ headers: { authorization = '' } }: VendorCall): void {
    if (authorization !== `Bearer ${this.key}`) throw badKey(authorization.replace('Bearer ', ''));
  }
}
