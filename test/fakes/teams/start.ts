import { createInterface } from 'node:readline';
import { FakeTeams } from './fake-teams.ts';
import { shownText } from './shown-text.ts';

const PORT = 8_093;
const GATEWAY_URL = 'http://127.0.0.1:8080';
const POLL_MS = 200;

/**
 * A Teams of its own on this machine: prints how to start a gateway that uses it, then the messages of its bot. `args`: the
 * gateway's address, when it is not the usual one.
 */
export async function startFake([gatewayUrl = GATEWAY_URL]: readonly string[]): Promise<void> {
  const teams = await FakeTeams.start({ port: PORT });
  const ada = teams.addPerson('Ada');
  teams.delivery.url = `${gatewayUrl}/api/messages`;
  const settings = Object.entries(teams.settings).map(([name, value]) => `${name}=${value}`);
  console.log(`Start the gateway with:

${settings.join(' \\\n')} npm start

and get a one-time code for its bot:

  curl -X POST $BASE/api/teams/connect -H "X-API-Key: $SETTINGS_KEY"

Then write here what Ada writes to the bot: first the code.
`);
  let shown = 0;
  const timer = setInterval(() => {
    for (const { text, attachments } of ada.received().slice(shown))
      console.log(`  ${[shownText(text), ...attachments.map(({ name }) => `[${name}]`)].join(' ')}`);
    shown = ada.received().length;
  }, POLL_MS);
  for await (const line of createInterface({ input: process.stdin })) if (line !== '') ada.says(line);
  clearInterval(timer);
  await teams.stop();
}
