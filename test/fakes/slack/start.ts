import { createInterface } from 'node:readline';
import { FakeSlack } from './fake-slack.ts';
import type { FakeApp } from './world/fake-app.ts';
import { shownText } from './world/fake-message.ts';

const PORT = 8_094;
const GATEWAY_URL = 'http://127.0.0.1:8080';
const POLL_MS = 200;

/**
 * A Slack of its own on this machine: prints how to start a gateway that uses it, then the messages of its bot. `args`: the
 * gateway's public address and a port, when they are not the usual ones.
 */
export async function startFake([gatewayUrl = GATEWAY_URL, port]: readonly string[]): Promise<void> {
  const slack = await FakeSlack.start({ port: port === undefined ? PORT : Number(port) });
  const workspace = slack.addWorkspace();
  const ada = slack.addPerson(workspace, 'Ada');
  const app = slack.addApp();
  const installation = app.install(workspace);
  app.redirectUrls.add(`${gatewayUrl}/api/slack/callback`);
  slack.authorization.visitor = { user: ada.user, workspace };
  const direct = ada.directMessages(installation);
  const general = workspace.addChannel('general', [ada.user, installation.bot]);
  const settings = Object.entries(slack.settings).map(([name, value]) => `${name}=${value}`);
  console.log(`Start the gateway with:

${settings.join(' ')} npm start

and register its bot:

  curl $BASE/api/bot-tokens -H "X-API-Key: $SETTINGS_KEY" \\
    -d '{"platform":"slack","bot_token":"${installation.token}","slack_signing_secret":"${app.signingSecret}"}'

These make its app the one that all accounts share instead:

SVC_SLACK_CLIENT_ID=${app.clientId}
SVC_SLACK_CLIENT_SECRET=${app.clientSecret}
SVC_SLACK_SIGNING_SECRET=${app.signingSecret}

Install it to Ada's workspace: open the authorize_url in a browser, where Ada agrees at once.

  curl -X POST $BASE/api/slack/install -H "X-API-Key: $SETTINGS_KEY"

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
    if (!app.delivery.hasUrl && !(await subscribed(app, `${gatewayUrl}/api/slack/webhook`))) continue;
    if (line.startsWith('#')) ada.says(general, line.slice(1).trim());
    else if (line !== '') ada.says(direct, line);
  }
  clearInterval(timer);
  await slack.stop();
}

/** The gateway answers only once it knows the app. */
async function subscribed({ delivery }: FakeApp, url: string): Promise<boolean> {
  try {
    await delivery.subscribe(url);
    return true;
  } catch (error) {
    console.log(`  not delivered: ${error}`);
    return false;
  }
}
