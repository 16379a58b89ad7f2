import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/base/errors.ts';
import { Gateway } from '../support/gateway.ts';
import {
  type WrongInput,
  type WrongInputAnswer,
  withAnswers,
  wordsOf,
  wrongInputsIn,
} from '../support/wrong-input.ts';

const TABLE = readFileSync(new URL('wrong-inputs.md', import.meta.url), 'utf8');
const WRONG_INPUTS = wrongInputsIn(TABLE);
/** Gets the table with the answers as they are now, to be read and taken over. */
const { WRONG_INPUTS_FILE = '' } = process.env;
const TRUNK = { host: '127.0.0.1', port: 9, username: 'u', password: 'p', register: false };

let gateway: Gateway;
const ids: Record<string, string> = {};
const heard: WrongInputAnswer[] = [];

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open' } });
  await gateway.putTrunk(TRUNK);
  ids.agent_id = (await gateway.settingsApi.get('/api/agents')).body.agents[0].id;
  ids.did_id = (await gateway.settingsApi.post('/api/sip/dids', { number: '+33123456789' })).body.did_id;
});
afterAll(async () => {
  if (WRONG_INPUTS_FILE !== '') writeFileSync(WRONG_INPUTS_FILE, withAnswers(TABLE, heard));
  await gateway?.stop();
});

async function send({ who, method, path, headers, body }: WrongInput): Promise<Response> {
  const { agentKey: agent, settingsKey: settings } = gateway;
  const keys: Record<string, string> = { agent, settings, stranger: 'svc_wrong', bridge: 'brg_wrong' };
  const key = keys[who];
  return await fetch(gateway.baseUrl + path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!), {
    method,
    redirect: 'manual',
    headers: { ...(key === undefined ? {} : { 'X-API-Key': key }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

it.each(WRONG_INPUTS)('$what: $method $path', async (row) => {
  const answer = await send(row);
  const { code, detail } = (await answer.json()) as { code: string; detail: Parameters<typeof wordsOf>[0] };
  const words = { status: answer.status, code, detail: wordsOf(detail) };
  heard.push(words);
  expect(words).toEqual(row.answer);
  expect(ERROR_CODES).toContain(code);
  if (answer.status === 405) expect(answer.headers.get('allow')).toMatch(/^[A-Z]+(?:, [A-Z]+)*$/);
  expect(answer.headers.get('content-type')).toBe('application/json');
});

it('the table has at least 70 mistakes, each once', () => {
  expect(new Set(WRONG_INPUTS.map(({ what }) => what)).size).toBe(WRONG_INPUTS.length);
  expect(WRONG_INPUTS.length).toBeGreaterThanOrEqual(70);
});
