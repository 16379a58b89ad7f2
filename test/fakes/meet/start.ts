import { showCallers } from '../ivr/console-callers.ts';
import { FakeIvr } from '../ivr/fake-ivr.ts';
import { FakeMeet } from './fake-meet.ts';

const GATEWAY_URL = 'http://127.0.0.1:8080';
const IVR_PORT = 5_090;
const PIN = '123456789';
const PHONE = { phoneNumber: '+16505550142', regionCode: 'US', languageCode: 'en-US' };

/**
 * Google Meet with a dial-in number, on this machine: prints the settings of a gateway that uses it, then who calls. `args`:
 * the gateway's public address, when it is not the usual one.
 */
export async function startFake([gatewayUrl = GATEWAY_URL]: readonly string[]): Promise<void> {
  const meet = await FakeMeet.start();
  const ivr = await FakeIvr.start({
    port: IVR_PORT,
    meetings: [
      { id: PIN, passcode: '', lets: 'in' },
      { id: '222222222', passcode: '', lets: 'to-waiting-room' },
    ],
  });
  meet.login.redirectUris.add(`${gatewayUrl}/api/oauth/meet/callback`);
  meet.login.visitor = { id: '108', name: 'Ada', email: 'ada@example.com' };
  meet.phoneAccess = [{ ...PHONE, pin: PIN }];
  meet.add('abc-mnop-xyz', { people: [{ kind: 'signedinUser', name: 'Ada' }] });
  meet.add('wai-ting-room', { phoneAccess: [{ ...PHONE, pin: '222222222' }] });
  meet.add('wro-ngpi-nnn', { phoneAccess: [{ ...PHONE, pin: '999999999' }] });
  meet.add('nop-hone-yet', { phoneAccess: [] });
  const settings = Object.entries(meet.settings).map(([name, value]) => `${name}=${value}`);
  console.log(`Start the gateway with:

${settings.join(' ')} npm start

Make the dial-in number its trunk, and connect Ada's account in a browser, at the authorize_url:

  curl -X PUT $BASE/api/sip/trunk -H "X-API-Key: $SETTINGS_KEY" -d '{
    "host": "127.0.0.1", "port": ${ivr.port}, "username": "trunk", "password": "none", "register": false }'
  curl -X POST $BASE/api/oauth/start/meet -H "X-API-Key: $SETTINGS_KEY"

Then join, and let an agent be heard:

  curl $BASE/api/call -H "X-API-Key: $AGENT_KEY" -d '{
    "platform": "meet", "meeting_url": "https://meet.google.com/abc-mnop-xyz" }'
  npm run agent

wai-ting-room lets you in after 10 s, wro-ngpi-nnn refuses its PIN, nop-hone-yet has no number: GET /api/call/<call_id> tells how a call
has ended. Without a connected account:

  curl $BASE/api/call -H "X-API-Key: $AGENT_KEY" -d '{
    "platform": "meet", "meeting_url": "${PHONE.phoneNumber},,${PIN}#" }'

Press Ctrl-C to stop it.
`);
  showCallers(ivr);
}
