import { createInterface } from 'node:readline';
import { FakeNextcloud } from './fake-nextcloud.ts';
import type { FakeMessage } from './world/fake-message.ts';

const PORT = 8_095;
const GATEWAY_URL = 'http://127.0.0.1:8080';
const PASSWORD = 'nextcloud';
const POLL_MS = 200;

/**
 * A Nextcloud of its own on this machine: prints how to pair a gateway with it, then what bots write. `args`: the gateway's
 * public address, a port, when they are not the usual ones, and the address of a signaling server for calls.
 */
export async function startFake([
  gatewayUrl = GATEWAY_URL,
  port,
  signalingUrl,
]: readonly string[]): Promise<void> {
  const nextcloud = await FakeNextcloud.start({ port: port === undefined ? PORT : Number(port) });
  const ada = nextcloud.user('ada', 'Ada', { isAdmin: true, password: PASSWORD });
  const { addon, hpb } = nextcloud;
  addon.gatewayUrl = gatewayUrl;
  hpb.url = signalingUrl ?? '';
  console.log(`Start the gateway with:

SVC_PUBLIC_URL=${gatewayUrl} SVC_NCTALK_ALLOW=127.0.0.1 npm start

and pair it in a browser, where you log in as ada with the password ${PASSWORD}:

  ${nextcloud.url}/apps/${addon.appId}/connect-start?origin=dashboard
${signalingUrl === undefined ? '' : `\nThe signaling server needs the backend ${nextcloud.url} with the secret ${hpb.backendSecret}.\n`}
Then write here what Ada writes to the bot. A line that starts with # goes to a group with it, where /activate comes first.
`);
  const shown = new Set<FakeMessage>();
  const timer = setInterval(() => {
    for (const room of nextcloud.world.rooms.values())
      for (const message of room.messages.filter((each) => !shown.has(each))) {
        shown.add(message);
        const isOfBot = message.actor.type === 'bots' || addon.isBot(message.actor.id);
        if (isOfBot && message.system === null)
          console.log(`  ${room.nameFor('ada')}: ${message.text} ${message.fileName}`);
      }
  }, POLL_MS);
  for await (const line of createInterface({ input: process.stdin })) {
    const bot = [...addon.bots.values()].at(-1)?.user;
    if (!bot) console.log('  not paired yet');
    else if (line.startsWith('#')) groupOf(nextcloud, [ada, bot]).write(ada, line.slice(1).trim());
    else if (line !== '') nextcloud.room({ kind: 'one-to-one', members: [ada, bot] }).write(ada, line);
  }
  clearInterval(timer);
  await nextcloud.stop();
}

/** Returns the group of Ada and the bot, which is made at the first time. */
function groupOf(nextcloud: FakeNextcloud, members: Parameters<FakeNextcloud['room']>[0]['members']) {
  const known = [...nextcloud.world.rooms.values()].find(
    ({ kind, attendees }) => kind === 'group' && members.every(({ uid }) => attendees.has(uid)),
  );
  if (known) return known;
  const room = nextcloud.room({ kind: 'group', name: 'Team', members });
  nextcloud.addon.enableIn(room);
  return room;
}
