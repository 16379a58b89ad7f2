import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/time.ts';
import { askWithin, keyVerdict } from '../../src/speech/providers/ask-vendor.ts';
import { speechProvider } from '../../src/speech/providers/speech-providers.ts';
import { BrowserVisit } from '../fakes/nextcloud/browser-visit.ts';
import { VENDOR_NAMES } from '../fakes/speech-vendor/all-vendors.ts';
import { Agent } from '../support/agent.ts';
import { Child } from '../support/child.ts';
import { Gateway } from '../support/gateway.ts';
import { tone } from '../support/tone.ts';
import { waitFor } from '../support/wait-for.ts';

const ROOT = join(import.meta.dirname, '../..');

/** `npm run fake -- <args>`. */
function fake(...args: string[]): Child {
  const child = new Child(process.execPath, ['test/fakes/main.ts', ...args], { cwd: ROOT, stdio: 'pipe' });
  onTestFinished(async () => void (await child.stop()));
  return child;
}

it('npm run fake starts a Telegram that works with a gateway as its output describes', async () => {
  const child = fake('telegram', '0');
  const [, url, token, username] = await waitFor('what it says', () =>
    /SVC_TELEGRAM_API_URL=(\S+) [\s\S]*"bot_token":"(\S+?)"[\s\S]*"bot":"(\w+)"/.exec(child.output),
  );
  const gateway = await Gateway.start({ env: { SVC_TELEGRAM_API_URL: url! } });
  gateway.secrets.add(token!);
  onTestFinished(async () => void (await gateway.stop()));
  const person = async (what: string, fields: object = {}) => {
    const body = JSON.stringify({ bot: username, from: { id: 1001 }, ...fields });
    const answer = await fetch(`${url}/fake/${what}`, { method: 'POST', body });
    expect(answer.status, what).toBe(200);
    return await answer.text();
  };
  const added = await gateway.settingsApi.post('/api/bot-tokens', { platform: 'telegram', bot_token: token });
  expect(added.status).toBe(200);
  await person('messages', { text: 'hello' });
  const send = () => gateway.agentApi.post('/api/dm/chat', { platform: 'telegram', text: 'good evening' });
  await waitFor('the conversation', async () => (await send()).status === 200);
  expect(await person('received')).toContain('good evening');
});

it('npm run fake starts a Slack that works as its output describes: with its own bot, and with the shared app', async () => {
  const publicUrl = 'http://127.0.0.1:8080';
  const child = fake('slack', publicUrl, '0');
  const said = await waitFor('what it says', () => child.output.includes('Then write here') && child.output);
  const settings = Object.fromEntries(
    [...said.matchAll(/(SVC_SLACK_\w+)=(\S+)/g)].map(([, name, value]) => [name, value!]),
  );
  const gateway = await Gateway.start({ env: { ...settings, SVC_PUBLIC_URL: publicUrl } });
  onTestFinished(async () => void (await gateway.stop()));
  const bot = JSON.parse(/-d '(\{.*\})'/.exec(said)![1]!);
  for (const secret of [settings.SVC_SLACK_CLIENT_SECRET, bot.bot_token, bot.slack_signing_secret])
    gateway.secrets.add(secret);
  const { body: own } = await gateway.settingsApi.post('/api/bot-tokens', bot);
  expect(own.status).toBe('ok');
  await gateway.settingsApi.delete(`/api/bot-tokens/${own.id}`);

  const { body: started } = await gateway.settingsApi.post('/api/slack/install');
  const { headers } = await fetch(started.authorize_url, { redirect: 'manual' });
  const back = headers.get('location')!.replace(publicUrl, gateway.baseUrl);
  const confirmed = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } };
  expect((await fetch(back, confirmed)).status).toBe(200);
  await waitFor('the connection', async () => {
    const { platforms } = (await gateway.agentApi.get('/api/account')).body;
    return platforms.slack.status === 'ok';
  });
});

it('npm run fake starts a Nextcloud whose administrator is sent to the gateway as its output describes', async () => {
  const gatewayUrl = 'http://127.0.0.1:8080';
  const child = fake('nextcloud', gatewayUrl, '0');
  const [, uid, password, page] = await waitFor('what it says', () =>
    /log in as (\w+) with the password (\w+):\s+(\S+)/.exec(child.output),
  );
  const browser = new BrowserVisit({ url: new URL(page!).origin });
  await browser.logIn({ uid: uid!, password: password! });
  const location = new URL((await browser.get(page!)).headers.get('location')!);
  expect(`${location.origin}${location.pathname}`).toBe(`${gatewayUrl}/connect/nctalk`);
});

it.each(VENDOR_NAMES)('npm run fake starts %s, which takes the key that its output names', async (name) => {
  const child = fake(name, '0');
  const [, setting, url, key] = await waitFor('what it says', () =>
    /(SVC_\w+_URL)=(\S+) [\s\S]*"api_key":"(\S+?)"/.exec(child.output),
  );
  const keys = speechProvider(name).keys!;
  const status = async (key: string) =>
    (await askWithin(systemClock, { keys, baseUrl: url!, key }, (ask) => keyVerdict(ask, keys))).status;
  expect([setting, await status(key!), await status('another')]).toEqual([
    `SVC_${name.toUpperCase()}_URL`,
    'valid',
    'invalid',
  ]);
});

it('npm run fake starts a dial-in number, which a gateway joins as its output describes', async () => {
  const child = fake('ivr', '0');
  const [, port] = await waitFor('what it says', () => /"port": (\d+)/.exec(child.output));
  const [, id] = /Meeting (\d+) has a waiting room/.exec(child.output)!;
  const gateway = await Gateway.start();
  onTestFinished(async () => void (await gateway.stop()));
  await gateway.putTrunk({ host: '127.0.0.1', port: Number(port) });
  await gateway.placeCall(`+16465588656,${id}#`);
  await waitFor('the waiting room', () => child.output.includes(`+16465588656: ${id}# waiting-room`));
});

it('npm run fake starts a Conference Room Connector, which a gateway calls as its output describes', async () => {
  const child = fake('zoom', '0');
  const said = await waitFor('what it says', () => child.output.includes('Press Ctrl-C') && child.output);
  const settings = [...said.matchAll(/(SVC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value!]);
  const gateway = await Gateway.start({ env: Object.fromEntries(settings) });
  onTestFinished(async () => void (await gateway.stop()));
  const [, platform, meetingUrl] = /"platform": "(\w+)", "meeting_url": "(\S+)"/.exec(said)!;
  await gateway.placeCall(meetingUrl!, { platform, agent_name: 'Ada' });
  await waitFor('the meeting', () => child.output.includes('Ada, 81234567890.123456: meeting'));
});

it('npm run fake starts a Teams, whose meeting an agent joins and is heard in as its output describes', async () => {
  const publicUrl = 'http://127.0.0.1:8080';
  const child = fake('teams', publicUrl, '0');
  const said = await waitFor(
    'what it says',
    () => child.output.includes('Without a connected') && child.output,
  );
  const settings = Object.fromEntries(
    [...said.matchAll(/(SVC_TEAMS_\w+)=(\S+)/g)].map(([, name, value]) => [name, value!]),
  );
  const gateway = await Gateway.start({ env: { ...settings, SVC_PUBLIC_URL: publicUrl } });
  onTestFinished(async () => void (await gateway.stop()));
  for (const name of ['SVC_TEAMS_APP_SECRET', 'SVC_TEAMS_CLIENT_SECRET'])
    gateway.secrets.add(settings[name]!);
  await gateway.putTrunk({ host: '127.0.0.1', port: Number(/"port": (\d+)/.exec(said)![1]) });
  const { body: started } = await gateway.settingsApi.post('/api/oauth/start/teams');
  const { headers } = await fetch(started.authorize_url, { redirect: 'manual' });
  const back = headers.get('location')!.replace(publicUrl, gateway.baseUrl);
  const confirmed = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } };
  expect((await fetch(back, confirmed)).status).toBe(200);

  const [, meetingUrl] = /"meeting_url": "(https\S+)"/.exec(said)!;
  const { audio } = await gateway.placeCall(meetingUrl!, { platform: 'teams' });
  const streamUrl = audio.stream_url.replace(/^ws:\/\/[^/]+/, gateway.baseUrl);
  const agent = await Agent.join(streamUrl, gateway.agentKey, { sampleRateHz: 16_000 });
  onTestFinished(async () => void (await agent.close()));
  await agent.waitFor('call_state', { state: 'active' }, 30_000);
  agent.speak(tone(440, 16_000, 16_000));
  await waitFor('the agent to be heard', () => child.output.includes(': is heard'));
});

it('npm run fake lists the platforms when given an unknown one', async () => {
  const child = fake('carrier-pigeon');
  expect(await child.exited).toBe(64);
  expect(child.output).toContain(
    'telegram, whatsapp, discord, slack, meet, teams, zoom, nextcloud, ivr, elevenlabs, deepgram, cartesia, assemblyai, openai',
  );
});
