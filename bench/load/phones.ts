/** Child process: a trunk with many phones. Arguments: host, SIP port, first RTP port. */
import { LatenessHistogram } from './arrivals.ts';
import type { LoadAnswer, LoadRequest, PhoneStats } from './load-protocol.ts';
import { startPhasedClock } from './phased-clock.ts';
import { RtpPhone } from './rtp-phone.ts';
import { SipAnswerer } from './sip-answerer.ts';

const [host = '127.0.0.1', sipPort, firstRtpPort] = process.argv.slice(2);
const histogram = new LatenessHistogram();
let sendLateness = new LatenessHistogram();
const phones: RtpPhone[] = [];

const answerer = new SipAnswerer(host, Number(sipPort), (remote) => {
  const port = Number(firstRtpPort) + phones.length;
  phones.push(new RtpPhone(host, port, port, remote, histogram));
  return port;
});

process.on('message', (request: LoadRequest) => {
  if (request.type === 'begin') {
    sendLateness = new LatenessHistogram();
    for (const phone of phones) phone.begin();
  }
  if (request.type === 'end') answer({ type: 'phones', stats: stats() });
});
process.on('disconnect', () => process.exit());

function stats(): PhoneStats {
  for (const phone of phones) phone.arrivals.end();
  const sum = (value: (phone: RtpPhone) => number) =>
    phones.reduce((total, phone) => total + value(phone), 0);
  return {
    calls: phones.length,
    packetsSent: sum((phone) => phone.packetsSent),
    packetsReceived: sum((phone) => phone.arrivals.frames),
    packetsLost: sum((phone) => phone.packetsLost),
    breaks: sum((phone) => phone.listener.breaks),
    worstDeviationFrames: Math.max(...phones.map((phone) => Math.abs(phone.arrivals.deviationFrames()))),
    arrival: histogram.stats(),
    sending: sendLateness.stats(),
  };
}

function answer(message: LoadAnswer): void {
  process.send?.(message);
}

await answerer.listen();
startPhasedClock(
  () => phones.length,
  (member) => phones[member]?.send(),
  (latenessMs) => sendLateness.add(latenessMs),
);
answer({ type: 'ready' });
