import { showCallers } from './console-callers.ts';
import { FakeIvr } from './fake-ivr.ts';
import type { Meeting } from './menu.ts';

const PORT = 5_090;
const MEETINGS: readonly Meeting[] = [
  { id: '81234567890', passcode: '123456', lets: 'in' },
  { id: '82222222222', passcode: '', lets: 'to-waiting-room' },
  { id: '83333333333', passcode: '', lets: 'wait-for-host' },
];

/** Starts a dial-in number, says how to call it, then prints what callers press. `args`: a port, and `tones` for in-band digits. */
export async function startFake([port, digits]: readonly string[]): Promise<void> {
  const ivr = await FakeIvr.start({
    port: Number(port ?? PORT),
    meetings: MEETINGS,
    digits: digits === 'tones' ? 'tones' : 'events',
  });
  console.log(`A dial-in number, as far as test/fakes/ivr has it: sip:127.0.0.1:${ivr.port}

Make it the trunk of a gateway, join its meeting, and let an agent be heard there:

  curl -X PUT $BASE/api/sip/trunk -H "X-API-Key: $SETTINGS_KEY" -d '{
    "host": "127.0.0.1", "port": ${ivr.port}, "username": "trunk", "password": "none", "register": false }'
  curl $BASE/api/call -H "X-API-Key: $AGENT_KEY" -d '{
    "platform": "sip", "meeting_url": "+16465588656,,81234567890#,,,,*123456#" }'
  npm run agent

Meeting 82222222222 has a waiting room, and 83333333333 no host yet; both let you in after 10 s. Press Ctrl-C to stop it.
`);
  showCallers(ivr);
}
