import { createInterface } from 'node:readline';
import { showCallers } from '../ivr/console-callers.ts';
import { FakeIvr } from '../ivr/fake-ivr.ts';
import { startMicrosoftLogin } from '../logins/microsoft-login.ts';
import { FakeTeams } from './fake-teams.ts';
import { FakeGraphMeetings } from './meetings/fake-graph-meetings.ts';
import { PeopleServices } from './meetings/people-services.ts';
import { shownText } from './shown-text.ts';

const PORT = 8_093;
const IVR_PORT = 5_090;
const GATEWAY_URL = 'http://127.0.0.1:8080';
const POLL_MS = 200;
const NUMBER = '+12065550142';
const CONFERENCE_ID = '123456789';
const LOBBY_ID = '222222222';
const WRONG_ID = '999999999';

/**
 * A Teams of its own on this machine, with a bot, and with meetings that have a dial-in number: prints how to start a gateway
 * that uses it, then the messages of its bot and who calls. `args`: the gateway's address, when it is not the usual one, and
 * `0` for free ports.
 */
export async function startFake([gatewayUrl = GATEWAY_URL, port]: readonly string[]): Promise<void> {
  const isAnyPort = port === '0';
  const teams = await FakeTeams.start({ port: isAnyPort ? 0 : PORT });
  const ada = teams.addPerson('Ada');
  teams.delivery.url = `${gatewayUrl}/api/messages`;
  const login = await startMicrosoftLogin({ tenant: null, error: null });
  login.redirectUris.add(`${gatewayUrl}/api/oauth/teams/callback`);
  const { objectId: id, tenantId: tenant, name } = ada.user;
  login.visitor = { id, tenant, name, email: 'ada@contoso.example' };
  const graph = await FakeGraphMeetings.start();
  graph.userOf = (token) => login.grantOf(token)?.visitor.id ?? null;
  teams.people = new PeopleServices(login, graph);
  const ivr = await FakeIvr.start({
    port: isAnyPort ? 0 : IVR_PORT,
    meetings: [
      { id: CONFERENCE_ID, passcode: '', lets: 'in' },
      { id: LOBBY_ID, passcode: '', lets: 'to-waiting-room' },
    ],
  });
  const dialIn = (conferenceId: string) => ({ conferenceId, tollNumbers: [NUMBER], tollFreeNumbers: [] });
  graph.audioConferencing = dialIn(CONFERENCE_ID);
  const linkOf = (organizer: string, conferenceId: string | null) => {
    const audioConferencing = conferenceId === null ? null : dialIn(conferenceId);
    return `https://teams.microsoft.com/meet/${graph.add(organizer, { audioConferencing }).joinMeetingId}`;
  };
  const settings = Object.entries({
    ...teams.settings,
    SVC_TEAMS_CLIENT_ID: login.clientId,
    SVC_TEAMS_CLIENT_SECRET: login.clientSecret,
  }).map(([setting, value]) => `${setting}=${value}`);
  console.log(`Start the gateway with:

${settings.join(' \\\n')} npm start

and get a one-time code for its bot:

  curl -X POST $BASE/api/teams/connect -H "X-API-Key: $SETTINGS_KEY"

Then write here what Ada writes to the bot: first the code.

For meetings, make the dial-in number its trunk, and connect Ada's account in a browser, at the authorize_url:

  curl -X PUT $BASE/api/sip/trunk -H "X-API-Key: $SETTINGS_KEY" -d '{
    "host": "127.0.0.1", "port": ${ivr.port}, "username": "trunk", "password": "none", "register": false }'
  curl -X POST $BASE/api/oauth/start/teams -H "X-API-Key: $SETTINGS_KEY"

Then join, and let an agent be heard:

  curl $BASE/api/call -H "X-API-Key: $AGENT_KEY" -d '{
    "platform": "teams", "meeting_url": "${linkOf(id, CONFERENCE_ID)}" }'
  npm run agent

Other meetings. GET /api/call/<call_id> tells how a call has ended:

  ${linkOf(id, LOBBY_ID)}      lets you in after 10 s
  ${linkOf(id, WRONG_ID)}      refuses its conference id
  ${linkOf(id, null)}      has no number
  ${linkOf('somebody else', CONFERENCE_ID)}      was organized by somebody else

Without a connected account:

  curl $BASE/api/call -H "X-API-Key: $AGENT_KEY" -d '{
    "platform": "teams", "meeting_url": "${NUMBER},,${CONFERENCE_ID}#" }'
`);
  showCallers(ivr);
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
