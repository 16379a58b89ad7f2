import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SignedRequest, signed } from '../../../src/models/bedrock/sigv4.ts';
import { NodeSha256 } from '../../fakes/bedrock/node-sha256.ts';

const HOST = 'https://bedrock-runtime.eu-west-3.amazonaws.com';

/** The vendor's package signs the same request. */
async function signedByVendor(request: SignedRequest): Promise<Record<string, string>> {
  const { method, url, body, region, service, keys, at } = request;
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: keys.id,
      secretAccessKey: keys.secret,
      ...(keys.sessionToken === null ? {} : { sessionToken: keys.sessionToken }),
    },
    region,
    service,
    sha256: NodeSha256,
    applyChecksum: false,
  });
  const { headers } = await signer.sign(
    {
      method,
      protocol: 'https:',
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { host: url.host },
      body,
    },
    { signingDate: new Date(at) },
  );
  const { host: _, ...added } = headers;
  return added;
}

function request(path: string, parts: Partial<SignedRequest> = {}): SignedRequest {
  return {
    method: 'POST',
    url: new URL(HOST + path),
    body: '{"messages":[]}',
    region: 'eu-west-3',
    service: 'bedrock',
    keys: { id: 'AKIAEXAMPLE', secret: 'secret/0123456789+', sessionToken: null },
    at: '2026-11-23T19:05:09.123Z',
    ...parts,
  };
}

const ARN = 'arn:aws:bedrock:eu-west-3:123456789012:inference-profile/eu.anthropic.claude-sonnet-5-v1:0';

describe('a signature of AWS', () => {
  it.each([
    '/model/amazon.nova-lite-v1%3A0/converse',
    '/model/amazon.nova-lite-v1:0/converse-stream',
    `/model/${encodeURIComponent(ARN)}/converse`,
    "/model/it's(a)*test!~/converse",
    '/model/gr%C3%BC%C3%9Fe%20%2B%26/converse',
    '/',
    '/foundation-models?byOutputModality=TEXT',
    '/inference-profiles?nextToken=a%2Bb%2Fc%3D%3D&maxResults=1000',
  ])('is the one of the vendor’s package for %s', async (path) => {
    expect(signed(request(path))).toEqual(await signedByVendor(request(path)));
  });

  it('is the same for any model, query, body, token and time', async () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((id) => !/^\.+$/.test(id));
    const cases = fc.record({
      model: text,
      query: fc.dictionary(
        fc.stringMatching(/^[\w.~-]{1,10}$/),
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        {
          noNullPrototype: true,
        },
      ),
      body: fc.string({ unit: 'grapheme' }),
      sessionToken: fc.option(fc.stringMatching(/^[\w+/=]{1,40}$/)),
      time: fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
    });
    const property = fc.asyncProperty(cases, async ({ model, query, body, sessionToken, time }) => {
      const search = new URLSearchParams(query);
      const asked = request(`/model/${encodeURIComponent(model)}/converse?${search}`, {
        body,
        at: time.toISOString(),
        keys: { id: 'AKIAEXAMPLE', secret: 'secret', sessionToken },
      });
      expect(signed(asked)).toEqual(await signedByVendor(asked));
    });
    await fc.assert(property, { numRuns: 1_000, seed: 23 });
  });

  it('depends on the secret', () => {
    const keys = { id: 'AKIAEXAMPLE', secret: 'another', sessionToken: null };
    const { authorization } = signed(request('/', { keys }));
    expect(authorization).not.toBe(signed(request('/')).authorization);
    expect(authorization).not.toContain('another');
  });
});
