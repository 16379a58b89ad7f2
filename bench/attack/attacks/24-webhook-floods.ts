import type { Attack } from '../attack.ts';
import { demandQuiet } from '../meanwhile.ts';
import { leave, newTenant } from '../member.ts';
import { type Knock, NetworkFlood } from '../network-flood.ts';

const NUMBER = 24;
const LASTS_MS = 4_000;
/** 500 requests a second of 8 KB, of which each is read and hashed. */
const MAX_CPU_SHARE = 0.5;
/** Whatever it says, no secret of the platform's has signed it. */
const BODY = JSON.stringify({
  token: 'x',
  team_id: 'T1',
  type: 'event_callback',
  event: { text: 'x'.repeat(8_000) },
});
const HEX = 'f'.repeat(64);
const JWT = ['{"alg":"RS256","kid":"k"}', '{"iss":"https://api.botframework.com"}', 'signature']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');

const now = (): string => `${Math.floor(Date.now() / 1_000)}`;

/** Where strangers hand in what only a platform could. */
const DOORS: Readonly<Record<string, () => Knock>> = {
  'events of Slack': () => ({
    path: '/api/slack/webhook',
    body: BODY,
    headers: { 'X-Slack-Request-Timestamp': now(), 'X-Slack-Signature': `v0=${HEX}` },
  }),
  'activities of Teams': () => ({
    path: '/api/messages',
    body: BODY,
    headers: { Authorization: `Bearer ${JWT}` },
  }),
  'changes of WhatsApp': () => ({
    path: '/api/whatsapp/webhook/shared',
    body: BODY,
    headers: { 'X-Hub-Signature-256': `sha256=${HEX}` },
  }),
  'events of the platform bridge': () => ({
    path: '/api/maquisard/event',
    body: BODY,
    headers: { 'X-API-Key': 'c'.repeat(40) },
  }),
  'chats of the platform bridge': () => ({
    path: '/api/teams/chat',
    body: BODY,
    headers: { 'X-API-Key': 'c'.repeat(40) },
  }),
};

/** Strangers in many networks who pretend to be a platform. */
export const webhookFloods: Attack = {
  number: NUMBER,
  name: 'floods of webhooks that nobody has signed',
  async run(target, notes, mails) {
    const quiet = await newTenant(target, mails, NUMBER, 1);
    for (const [what, knock] of Object.entries(DOORS)) {
      notes.act(`500 ${what} a second from 250 networks`);
      let flood: NetworkFlood | null = null;
      const meanwhile = { what, quiet, lastsMs: LASTS_MS, mostShare: MAX_CPU_SHARE };
      await demandQuiet(target, notes, meanwhile, () => {
        flood = new NetworkFlood(target, knock);
      });
      flood = flood as unknown as NetworkFlood;
      flood.stop();
      const answers = [...flood.answers].map(([status, count]) => `${count} × ${status}`).join(', ');
      notes.see(`answers to ${flood.sent} ${what}: ${answers}`);
      const taken = flood.answers.get(200) ?? 0;
      notes.demand(taken === 0, `${what} that were taken`, taken);
    }
    await leave(quiet);
  },
};
