import { createInterface } from 'node:readline';
import { FakeSlack } from './fake-slack.ts';
import { shownText } from './world/fake-message.ts';

const PORT = 8_094;
const GATEWAY_URL = 'http://127.0.0.1:8080';
const POLL_MS = 200;

/**
 * A Slack of its own on this machine: prints how to start a gateway that uses it, then the messages of its bot. `args`: the
 * gateway's address, when it is not the usual one.
 */
export async function startFake([gatewayUrl = GATEWAY_URL]: readonly string[]): Promise<void> {
  const slack = await FakeSlack.start({ port: PORT });
  const workspace = slack.addWorkspace();
  const ada = slack.addPerson(workspace, 'Ada');
  const app = slack.addApp();
  const installation = app.install(workspace);
  const direct = ada.directMessages(installation);
  const general = workspace.addChannel('general', [ada.user, installation.bot]);
  const settings = Object.entries(slack.settings).map(([name, value]) => `${name}=${value}`);
  console.log(`Start the gateway with:

${settings.join(' ')} npm start

and register its bot:

  curl $BASE/api/bot-tokens -H "X-API-Key: $SETTINGS_KEY" \\
    -d '{"platform":"slack","bot_token":"${installation.token}","slack_signing_secret":"${app.signingSecret}"}'

Then write here what Ada writes to the bot. A line that starts with # goes to the channel #general.
`);
  const shown = new Set<string>();
  const timer = setInterval(() => {
    for (const { user, ts, text, files } of [...direct.messages, ...general.messages]) {
      if (user !== installation.bot || shown.has(ts)) continue;
      shown.add(ts);
      console.log(`  ${[shownText(text), ...files.map(({ name }) => `[${name}]`)].join(' ')}`);
    }
  }, POLL_MS);
  for await (const line of createInterface({ input: process.stdin })) {
    if (!app.delivery.hasUrl) await app.delivery.subscribe(`${gatewayUrl}/api/slack/webhook`);
    if (line.startsWith('#')) ada.says(general, line.slice(1).trim());
    else if (line !== '') ada.says(direct, line);
  }
  clearInterval(timer);
  await slack.stop();
}
