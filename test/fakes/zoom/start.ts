import { showCallers } from '../ivr/console-callers.ts';
import { FakeIvr } from '../ivr/fake-ivr.ts';
import { startZoomLogin } from '../logins/zoom-login.ts';
import type { CrcMeeting } from './crc-call.ts';
import { FakeCrc } from './fake-crc.ts';
import { FakeZoomApi } from './fake-zoom-api.ts';

const PORT = 5_092;
const IVR_PORT = 5_090;
const GATEWAY_URL = 'http://127.0.0.1:8080';
const DIAL_IN = '+16465588656';
const WATCH_MS = 200;
const ADMITTED_AFTER_MS = 10_000;
const MEETINGS: readonly CrcMeeting[] = [
  { id: '81234567890', passcode: '123456', lets: 'in' },
  { id: '82222222222', passcode: '', lets: 'to-waiting-room' },
  { id: '83333333333', passcode: '', lets: 'not-begun' },
  { id: '84444444444', passcode: '', lets: 'unlicensed' },
];

/**
 * Starts a Conference Room Connector under the name localhost, and Zoom's login, REST API and dial-in number, says how to use
 * them, then prints where callers are. `args`: the connector's port, with TLS at the one above, and 0 for free ports; the
 * gateway's public address, when it is not the usual one.
 */
export async function startFake([
  port = `${PORT}`,
  gatewayUrl = GATEWAY_URL,
]: readonly string[]): Promise<void> {
  const isAnyPort = Number(port) === 0;
  const fixed = isAnyPort ? {} : { port: Number(port) };
  const crc = await FakeCrc.start({ ...fixed, names: ['localhost'], meetings: MEETINGS });
  const login = await startZoomLogin();
  login.redirectUris.add(`${gatewayUrl}/api/oauth/zoom/callback`);
  login.visitor = { id: 'Ada', name: 'Ada', email: 'ada@example.com' };
  const api = await FakeZoomApi.start();
  api.userOf = (token) => login.grantOf(token)?.visitor.id ?? null;
  api.numbers = [{ number: '+1 6465550142', country: 'US', type: 'toll' }];
  api.add('Ada', { id: '81234567890', passcode: '123456' });
  api.add('Ada', { id: '82222222222' });
  api.add('Ada', { id: '83333333333', numbers: [] });
  api.add('Eve', { id: '84444444444' });
  const ivr = await FakeIvr.start({
    port: isAnyPort ? 0 : IVR_PORT,
    meetings: [
      { id: '81234567890', passcode: '123456', lets: 'in' },
      { id: '82222222222', passcode: '', lets: 'to-waiting-room' },
      { id: '83333333333', passcode: '', lets: 'wait-for-host' },
    ],
  });
  console.log(`A Conference Room Connector, as far as test/fakes/zoom has it. Start the gateway with:

SVC_SIP_DIRECT_HOSTS=localhost SVC_SIP_TRUNK_ALLOW=127.0.0.1 SVC_SIP_TLS_CA_FILE=${crc.certificatePath} \\
SVC_ZOOM_CLIENT_ID=${login.clientId} SVC_ZOOM_CLIENT_SECRET=${login.clientSecret} \\
SVC_ZOOM_LOGIN_URL=${login.url} SVC_ZOOM_API_URL=${api.url} SVC_ZOOM_DIAL_IN=${DIAL_IN} npm start

and join its meeting, where you hear yourself:

  curl $BASE/api/call -H "X-API-Key: $AGENT_KEY" -d '{
    "platform": "zoom", "meeting_url": "81234567890.123456@localhost:${crc.tlsPort};transport=tls" }'

Meeting 82222222222 has a waiting room, from which you are admitted after 10 s. 83333333333 has not begun, and the host of
84444444444 has no connector. GET /api/call/<call_id> tells how a call has ended.

To join by phone, make the dial-in number the trunk:

  curl -X PUT $BASE/api/sip/trunk -H "X-API-Key: $SETTINGS_KEY" -d '{
    "host": "127.0.0.1", "port": ${ivr.port}, "username": "trunk", "password": "none", "register": false }'
  curl $BASE/api/call -H "X-API-Key: $AGENT_KEY" -d '{
    "platform": "zoom", "meeting_url": "${DIAL_IN},,81234567890#,,,,*123456#" }'
  npm run agent

Links need Ada's account, which you connect in a browser, at the authorize_url:

  curl -X POST $BASE/api/oauth/start/zoom -H "X-API-Key: $SETTINGS_KEY"
  curl $BASE/api/call -H "X-API-Key: $AGENT_KEY" -d '{
    "platform": "zoom", "meeting_url": "https://zoom.us/j/81234567890?pwd=hash" }'
  npm run agent

Then 82222222222 has a waiting room, 83333333333 has only the number in SVC_ZOOM_DIAL_IN, and waits for its host, and 84444444444 is
not Ada's. Press Ctrl-C to stop it.
`);
  showCallers(ivr);
  const shown = new Map<object, string>();
  setInterval(() => {
    for (const call of crc.calls) {
      if (shown.get(call) === call.place) continue;
      shown.set(call, call.place);
      console.log(`  ${call.displayName}, ${call.user}: ${call.place}`);
      if (call.place === 'waiting-room') setTimeout(() => call.admit(), ADMITTED_AFTER_MS);
    }
  }, WATCH_MS);
}
