import type { CrcMeeting } from './crc-call.ts';
import { FakeCrc } from './fake-crc.ts';

const PORT = 5_092;
const WATCH_MS = 200;
const ADMITTED_AFTER_MS = 10_000;
const MEETINGS: readonly CrcMeeting[] = [
  { id: '81234567890', passcode: '123456', lets: 'in' },
  { id: '82222222222', passcode: '', lets: 'to-waiting-room' },
  { id: '83333333333', passcode: '', lets: 'not-begun' },
  { id: '84444444444', passcode: '', lets: 'unlicensed' },
];

/**
 * Starts a Conference Room Connector under the name localhost, says how to call it, then prints where callers are. `args`: a
 * port; TLS has the one above.
 */
export async function startFake([port = `${PORT}`]: readonly string[]): Promise<void> {
  const fixed = Number(port) === 0 ? {} : { port: Number(port) };
  const crc = await FakeCrc.start({ ...fixed, names: ['localhost'], meetings: MEETINGS });
  console.log(`A Conference Room Connector, as far as test/fakes/zoom has it. Start the gateway with:

SVC_SIP_DIRECT_HOSTS=localhost SVC_SIP_TRUNK_ALLOW=127.0.0.1 SVC_SIP_TLS_CA_FILE=${crc.certificatePath} npm start

and join its meeting, where you hear yourself:

  curl $BASE/api/call -H "X-API-Key: $AGENT_KEY" -d '{
    "platform": "zoom", "meeting_url": "81234567890.123456@localhost:${crc.tlsPort};transport=tls" }'

Meeting 82222222222 has a waiting room, from which you are admitted after 10 s. 83333333333 has not begun, and the host of
84444444444 has no connector. Press Ctrl-C to stop it.
`);
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
