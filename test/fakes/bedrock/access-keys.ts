import { SignatureV4 } from '@smithy/signature-v4';
import type { VendorRequest } from '../model-vendor/vendor-exchange.ts';
import { awsError } from './aws-errors.ts';
import { NodeSha256 } from './node-sha256.ts';

export interface FakeAccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export const LASTING_KEY: FakeAccessKey = {
  accessKeyId: 'AKIAFAKE000000000001',
  secretAccessKey: 'lasting/secret+0123456789abcdef0123456789',
};
export const TEMPORARY_KEY: FakeAccessKey = {
  accessKeyId: 'ASIAFAKE000000000002',
  secretAccessKey: 'temporary/secret+0123456789abcdef01234567',
  sessionToken: 'session/token+0123456789abcdef==',
};
/** Its session is over. */
export const EXPIRED_KEY: FakeAccessKey = {
  accessKeyId: 'ASIAFAKE000000000003',
  secretAccessKey: 'expired/secret+0123456789abcdef0123456789',
  sessionToken: 'expired/token+0123456789abcdef==',
};
const KEYS = [LASTING_KEY, TEMPORARY_KEY, EXPIRED_KEY];

const MAX_SKEW_MS = 5 * 60_000;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=[0-9a-f]{64}$/;

/** Throws the VendorError for a request whose signature AWS would refuse. The vendor's own package makes the second one. */
export async function checkSignature(request: VendorRequest, region: string): Promise<void> {
  const { headers } = request;
  const parts = AUTHORIZATION.exec(headers.authorization ?? '');
  if (parts === null) throw incomplete('Authorization is not complete.');
  const [, id = '', day = '', signedRegion = '', service = '', names = ''] = parts;
  const key = KEYS.find(({ accessKeyId }) => accessKeyId === id);
  const token = headers['x-amz-security-token'];
  if (key === undefined || key.sessionToken !== token) throw unknownClient();
  if (key === EXPIRED_KEY) throw expired();
  if (signedRegion !== region || service !== 'bedrock')
    throw mismatch('Credential should be scoped to a valid region.');
  const at = timeOf(headers['x-amz-date']);
  if (Math.abs(Date.now() - at.getTime()) > MAX_SKEW_MS) throw mismatch('Signature expired.');
  if (!at.toISOString().replaceAll('-', '').startsWith(day))
    throw mismatch('Date in Credential scope is wrong.');
  const signed = names.split(';');
  const required = ['host', 'x-amz-date', ...(token === undefined ? [] : ['x-amz-security-token'])];
  if (!required.every((name) => signed.includes(name))) throw incomplete('A header is not signed.');
  const expected = await signatureOf(request, { key, region, at, signed });
  if (expected !== headers.authorization)
    throw mismatch('The request signature we calculated does not match.');
}

interface Signing {
  readonly key: FakeAccessKey;
  readonly region: string;
  readonly at: Date;
  readonly signed: readonly string[];
}

async function signatureOf(
  request: VendorRequest,
  { key, region, at, signed }: Signing,
): Promise<string | undefined> {
  const { method, path, query, headers, rawBody } = request;
  const signer = new SignatureV4({
    credentials: key,
    region,
    service: 'bedrock',
    sha256: NodeSha256,
    applyChecksum: false,
  });
  const again = await signer.sign(
    {
      method,
      protocol: 'http:',
      hostname: '127.0.0.1',
      path,
      query: Object.fromEntries(query),
      headers: Object.fromEntries(signed.map((name) => [name, String(headers[name])])),
      body: rawBody,
    },
    { signingDate: at, signableHeaders: new Set(signed) },
  );
  return again.headers.authorization;
}

/** `YYYYMMDDTHHMMSSZ`. */
function timeOf(header: string | string[] | undefined): Date {
  const iso = String(header).replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5');
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) throw incomplete('X-Amz-Date is not a date.');
  return time;
}

function unknownClient() {
  return awsError(
    403,
    'UnrecognizedClientException',
    'The security token included in the request is invalid.',
  );
}

function expired() {
  return awsError(403, 'ExpiredTokenException', 'The security token included in the request is expired');
}

function mismatch(message: string) {
  return awsError(403, 'InvalidSignatureException', message);
}

function incomplete(message: string) {
  return awsError(403, 'IncompleteSignatureException', message);
}
