import { createHash, createHmac } from 'node:crypto';

/** Access keys of AWS. */
export interface AwsKeys {
  readonly id: string;
  readonly secret: string;
  /** Of temporary keys. */
  readonly sessionToken: string | null;
}

export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Empty: no body. */
  readonly body: string;
  readonly region: string;
  readonly service: string;
  readonly keys: AwsKeys;
  /** ISO 8601. Servers refuse times that are off by more than five minutes. */
  readonly at: string;
}

/**
 * Signs a request of AWS (Signature Version 4). Returns the headers to add. Only `host` and these are signed.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
 */
export function signed(request: SignedRequest): Readonly<Record<string, string>> {
  const { region, service, keys, at } = request;
  const time = at.replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 'YYYYMMDD'.length);
  const headers: Record<string, string> = { 'x-amz-date': time };
  if (keys.sessionToken !== null) headers['x-amz-security-token'] = keys.sessionToken;
  const names = ['host', ...Object.keys(headers)].join(';');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical(request, headers, names))].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${keys.secret}`);
  const signature = hmac(key, toSign).toString('hex');
  const credential = `${keys.id}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** The request in the form that both sides hash. Header names must be in alphabetical order. */
function canonical(
  { method, url, body }: SignedRequest,
  headers: Readonly<Record<string, string>>,
  names: string,
): string {
  const lines = Object.entries({ host: url.host, ...headers }).map(
    ([name, value]) => `${name}:${value.trim()}\n`,
  );
  return [method, canonicalPath(url), canonicalQuery(url), lines.join(''), names, sha256(body)].join('\n');
}

/** Every segment as it is sent is encoded once more. */
function canonicalPath({ pathname }: URL): string {
  return pathname.split('/').map(encode).join('/');
}

/** In the order of the names. Ours occur once each. */
function canonicalQuery({ searchParams }: URL): string {
  const pairs = new Map([...searchParams].map(([name, value]) => [encode(name), encode(value)]));
  const names = [...pairs.keys()].toSorted();
  return names.map((name) => `${name}=${pairs.get(name)}`).join('&');
}

/** RFC 3986: everything but letters, digits and `-._~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
