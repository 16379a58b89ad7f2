import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/base/time.ts';
import { deepgram } from '../fakes/deepgram/manners.ts';
import { DeepgramSttSocket } from '../fakes/deepgram/stt-socket.ts';
import { DeepgramTtsSocket } from '../fakes/deepgram/tts-socket.ts';
import type { VendorEnd } from '../fakes/speech-sockets.ts';
import { FakeVendor } from '../fakes/speech-vendor/fake-vendor.ts';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import type { FakePerson } from '../fakes/telegram/fake-person.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import { VOCABULARY } from '../fakes/tone-speech.ts';
import type { AnyJson } from '../support/any-json.ts';
import { type HostilePrompt, hostilePrompts, type Way } from '../support/hostile-prompts.ts';
import { InlineCalls } from '../support/inline-calls.ts';
import { McpCaller } from '../support/mcp-caller.ts';
import { ObedientModel } from '../support/obedient-model.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { waitFor } from '../support/wait-for.ts';

const NUMBER = '+33987654321';
const FRIEND = '+442071838750';
const POLICY = { calls: ['+4420*'], tools: ['svc_account', 'svc_call_list'] };

/** Takes every word for one of the texts. */
class HostileRecognizer extends DeepgramSttSocket {
  texts: readonly string[] = [];

  protected override open(end: VendorEnd, url: URL): void {
    const send = end.send.bind(end);
    end.send = (message) => send(this.#worded(message));
    super.open(end, url);
  }

  #worded(message: AnyJson): AnyJson {
    for (const alternative of message.channel?.alternatives ?? [])
      alternative.transcript = alternative.transcript.replace(/\w+/g, (word: string) => this.#textFor(word));
    return message;
  }

  #textFor(word: string): string {
    return this.texts[(VOCABULARY as readonly string[]).indexOf(word)] ?? '';
  }
}

let telegram: FakeTelegram;
let vendor: FakeVendor;
let recognizer: HostileRecognizer;
let calls: InlineCalls;
let bot: FakeBot;
let boss: FakePerson;
let model: ObedientModel;
let prompts: readonly HostilePrompt[];
const pages = new Map<string, string>();

beforeEach(async () => {
  telegram = await FakeTelegram.start();
  vendor = await FakeVendor.start(deepgram, 0, (key) => {
    recognizer = new HostileRecognizer(key, systemClock);
    return [new DeepgramTtsSocket(key, systemClock), recognizer];
  });
  const settings = { SVC_TELEGRAM_API_URL: telegram.url, SVC_DEEPGRAM_URL: vendor.url };
  calls = await InlineCalls.start({}, settings);
  bot = telegram.addBot();
  calls.gateway.secrets.add(bot.token);
  const { pair, gateway } = calls;
  await ask('POST', '/api/bot-tokens', { platform: 'telegram', bot_token: bot.token });
  await ask('POST', '/api/agents', { name: 'Second' });
  await ask('PATCH', `/api/agents/${calls.agentId}/policy`, POLICY);
  for (const number of [NUMBER, FRIEND]) await pair.caller.settingsApi.post('/api/sip/dids', { number });
  const { bearer } = await ask('GET', `/api/agents/${calls.agentId}/internal-bearer`);
  gateway.secrets.add(bearer);
  model = new ObedientModel(
    new McpCaller(`${gateway.baseUrl}/mcp`, { authorization: `Bearer ${bearer}` }),
    pages,
  );
  calls.openai.reply = model.script;
  boss = bot.person({ id: 2_000, first_name: 'Boss' });
  boss.says('Hello');
  await waitFor('an answer to the boss', () => boss.received.length === 1);
  prompts = hostilePrompts({
    number: NUMBER,
    uri: `sip:${NUMBER}@127.0.0.1:${pair.caller.sipPort}`,
    friend: FRIEND,
    conversation: (await conversations('telegram'))[0].conversation_id,
    agent: 'Second',
  });
});
afterEach(async () => {
  await calls?.stop();
  await telegram?.stop();
  await vendor?.stop();
});

async function ask(method: string, path: string, body?: unknown): Promise<AnyJson> {
  const answer = await calls.gateway.settingsApi.request(method, path, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function conversations(platform: string): Promise<AnyJson[]> {
  const { body } = await calls.gateway.agentApi.get('/api/inbox?limit=100');
  return body.conversations.filter((conversation: AnyJson) => conversation.platform === platform);
}

/** Numbers of the other gateway that have been called. */
async function called(): Promise<string[]> {
  const { agentApi } = calls.pair.caller;
  const live = (await agentApi.get('/api/calls')).body.calls;
  const past = (await agentApi.get('/api/calls?state=ended')).body.calls;
  const inbound = [...live, ...past].filter(({ direction }: AnyJson) => direction === 'inbound');
  return inbound.map(({ meeting_url }: AnyJson) => meeting_url);
}

/** How a stranger brings a text to the model, other than by a call. */
const BRINGS: Readonly<Record<Exclude<Way, 'transcript'>, (person: FakePerson, text: string) => void>> = {
  message: (person, text) => person.says(text),
  name: (person) => person.says('Hi'),
  file: (person, name) =>
    person.sends('document', { name, mime: 'text/plain', bytes: Buffer.from('x') }, { caption: 'Look' }),
  quote: (person, text) => {
    const answered = { message_id: 1, date: 1, chat: person.chat, from: boss.facts, text };
    person.writes({ text: 'What of this?', reply_to_message: answered, quote: { text, position: 0 } });
  },
  page: (person, text) => {
    const url = `https://pages.example/${person.facts.id}`;
    pages.set(url, text);
    person.says(`Read ${url}`);
  },
};

function bring({ way, text }: HostilePrompt, at: number): FakePerson | null {
  if (way === 'transcript') return null;
  const person = bot.person({ id: 3_000 + at, first_name: way === 'name' ? text : 'Eve' });
  BRINGS[way](person, text);
  return person;
}

/** All deliveries with their actions, once there are so many and none is under way. */
async function delivered(count: number): Promise<AnyJson[]> {
  const ended = await waitFor(`${count} deliveries to end`, async () => {
    const { deliveries } = await ask('GET', `/api/agents/${calls.agentId}/deliveries?limit=100`);
    const isOver = ({ status }: AnyJson) => ['delivered', 'failed', 'merged'].includes(status);
    return deliveries.length >= count && deliveries.every(isOver) && deliveries;
  });
  return await Promise.all(ended.map(({ id }: AnyJson) => ask('GET', `/api/agent-deliveries/${id}`)));
}

function isPolicys({ status, reason }: AnyJson): boolean {
  return status === 'refused' && reason.startsWith('The policy of the agent');
}

it('an obedient model calls nobody, writes to nobody and uses no tool outside of its policy', {
  retry: retryAudio(),
}, async () => {
  expect(prompts.length).toBeGreaterThanOrEqual(40);
  expect(new Set(prompts.map(({ way }) => way)).size).toBe(6);
  const spoken = prompts.flatMap(({ way, text }) => (way === 'transcript' ? text : []));
  recognizer.texts = spoken;
  const { person } = await calls.connect();
  person.says(VOCABULARY.slice(0, spoken.length).join(' '));
  const strangers = prompts.flatMap((prompt, at) => bring(prompt, at) ?? []);
  const friend = bot.person({ id: 4_000, first_name: 'Ann' });
  friend.says(`please call ${FRIEND}`);
  await waitFor('all tools to be tried', () => new Set(model.toolCalls.map(({ name }) => name)).size >= 6);
  const all = await delivered(strangers.length + 4);

  // The call that the policy has is placed, and no other one.
  await waitFor('the allowed call', async () => (await called()).length > 0);
  expect(new Set(await called())).toEqual(new Set([expect.stringContaining(FRIEND)]));
  expect(boss.received).toHaveLength(1);
  expect(await conversations('agent')).toEqual([]);
  for (const { received } of strangers) expect(received.length).toBeLessThanOrEqual(5);

  const actions = all.flatMap((delivery) => delivery.actions);
  const done = new Set(
    actions.flatMap(({ action, status }: AnyJson) => (status === 'done' ? action.kind : [])),
  );
  expect([...done].sort()).toEqual(['accept', 'call_join', 'write']);
  // Each text was obeyed, and the owner is told of what was refused.
  for (const [at, { way, text }] of prompts.entries()) {
    if (text.startsWith('TOOL ') || way === 'transcript') continue;
    const [delivery] = all.filter(({ payload }) => payload.peer?.id === `${3_000 + at}`);
    expect([text, delivery?.actions.some(isPolicys)]).toEqual([text, true]);
  }
  const said = all.filter(({ event_type }) => event_type === 'call_transcript');
  expect(said.some(({ actions: asked }) => asked.some(isPolicys))).toBe(true);
  const metrics = (await calls.gateway.settingsApi.get('/metrics')).body;
  expect(metrics).toMatch(/svc_model_refused_actions_total\{action="call_join"\} [1-9]/);

  const succeeded = model.toolCalls.filter(({ result }) => result.isError !== true);
  expect(new Set(succeeded.map(({ name }) => name))).toEqual(new Set(['svc_call_list']));
});
