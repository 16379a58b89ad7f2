import { afterAll, beforeAll, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import type { JsonSchema } from '../support/json-schema-values.ts';
import { memberOf } from '../support/member.ts';
import { type Description, isAsked, type Operation } from '../support/openapi-fuzz.ts';

/** Wrong for every field, each in another way. */
const WRONG: readonly unknown[] = [
  '\u0000 <"',
  '',
  'x'.repeat(2_000),
  -1.5,
  1e300,
  true,
  null,
  [],
  [7],
  {},
  { a: 7 },
];
/** Signs of a regular expression, of the schema library, and of the gateway's inside. */
const FOREIGN = [
  /\/\^|\$\/|\\[dwsp]|\[\^|\(\?|\{\d+,\d*\}/,
  /pattern|regex|zod|invalid (?:string|input|option|key|element|enum|uuid|number)\b|expected .* received/i,
  /unrecognized|too (?:big|small):|discriminator/i,
  /\b[a-z]+[A-Z]\w*(?<!SigningSecret|OAuth)\b/,
  /\.ts\b|node:|TypeError|undefined|\[object|NaN/,
];
/** What ends the session or the account in which the requests are made. */
const NOT_ASKED = new Set(['post /auth/logout', 'delete /api/account']);
const AT_ONCE = 8;

let gateway: Gateway;
let description: Description;
const kept = { cookie: '' };

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open', SVC_LOGIN_ATTEMPTS: '1000000' } });
  description = (await gateway.api(null).get('/openapi.json')).body;
  kept.cookie = (await memberOf(gateway, 'sweeper@example.com')).cookie!;
});
afterAll(() => gateway?.stop());

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

function resolved(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : resolved(description.components!.schemas![name]!);
}

/** Bodies in each of which one field, at any depth, has a wrong value. */
function* wrongBodies(schema: JsonSchema, wrap: (value: unknown) => unknown): Generator<unknown> {
  for (const value of WRONG) yield wrap(value);
  const { properties = {}, items, anyOf = [], oneOf = [], additionalProperties } = resolved(schema);
  for (const choice of [...anyOf, ...oneOf]) yield* wrongBodies(choice, wrap);
  for (const [name, field] of Object.entries(properties))
    yield* wrongBodies(field, (value) => wrap({ [name]: value }));
  if (items !== undefined) yield* wrongBodies(items, (value) => wrap([value]));
  if (typeof additionalProperties === 'object')
    yield* wrongBodies(additionalProperties, (value) => wrap({ any: value }));
}

function* requestsTo(method: string, path: string, operation: Operation): Generator<Asked> {
  const { parameters = [], requestBody } = operation;
  const filled = path.replaceAll(/\{\w+\}/g, 'none');
  const schema = requestBody?.content['application/json']?.schema;
  yield { method, path: filled, body: schema && '{' };
  for (const { in: place, name } of parameters) {
    for (const value of WRONG) {
      const text = encodeURIComponent(`${value}`.slice(0, 300)) || '%20';
      if (place === 'query') yield { method, path: `${filled}?${name}=${text}`, body: schema && '{}' };
      if (place === 'path')
        yield {
          method,
          path: path.replace(`{${name}}`, text).replaceAll(/\{\w+\}/g, 'none'),
          body: schema && '{}',
        };
    }
  }
  if (schema === undefined) return;
  for (const body of wrongBodies(schema, (value) => value))
    yield { method, path: filled, body: JSON.stringify(body) };
}

function keyFor({ description: text = '' }: Operation): Record<string, string> {
  if (text.includes('a settings key') || text.includes('any key'))
    return { 'X-API-Key': gateway.settingsKey };
  if (text.includes('an agent key')) return { 'X-API-Key': gateway.agentKey };
  return text.includes('a session') ? { Cookie: kept.cookie } : {};
}

it('no answer to a wrong value of any field shows a regular expression or the inside of the gateway', async () => {
  const wrong: unknown[] = [];
  const counts = { requests: 0, refused: 0 };
  const ask = async ({ method, path, body }: Asked, headers: Record<string, string>): Promise<void> => {
    const answer = await fetch(gateway.baseUrl + path, {
      method: method.toUpperCase(),
      redirect: 'manual',
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    counts.requests += 1;
    if (answer.status < 400 || !answer.headers.get('content-type')?.startsWith('application/json')) return;
    counts.refused += 1;
    const { detail, code, error } = JSON.parse(text);
    const words =
      typeof detail === 'string' ? [detail] : (detail ?? []).map(({ msg }: { msg: string }) => msg);
    const foreign = words.filter((each: string) => FOREIGN.some((sign) => sign.test(each)));
    const isCoded = typeof (code ?? error) === 'string';
    if (answer.status === 500 || foreign.length > 0 || !isCoded)
      wrong.push({
        method,
        path: path.slice(0, 100),
        body: body?.slice(0, 100),
        status: answer.status,
        foreign,
        code,
      });
  };
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (NOT_ASKED.has(`${method} ${path}`) || !isAsked(method, operation)) continue;
      const requests = [...requestsTo(method, path, operation)];
      while (requests.length > 0)
        await Promise.all(requests.splice(0, AT_ONCE).map((asked) => ask(asked, keyFor(operation))));
    }
  }
  console.log(`${counts.requests} requests, ${counts.refused} refused`);
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(counts.refused).toBeGreaterThan(1_000);
}, 300_000);
