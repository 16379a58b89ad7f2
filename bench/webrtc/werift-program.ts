/** Child process, the anchor: the same connections by the library alone, in one thread. It neither decodes nor mixes. */
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from 'werift';
import { JanusSession } from '../../test/support/janus-room.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { answerWith } from './asked-program.ts';

const FRAME_MS = 20;
const FRAME_SAMPLES = 960;
/** An Opus packet of 32 kbit/s; nobody decodes it here. */
const PAYLOAD = Buffer.alloc(80, 0xd0);
const FIRST_FEED = 2_000;
const OPUS = new RTCRtpCodecParameters({ mimeType: 'audio/opus', clockRate: 48_000, channels: 2 });

const tracks: MediaStreamTrack[] = [];
const connections: RTCPeerConnection[] = [];
let received = 0;
let legs = 0;

const orders = {
  async join(janusUrl: string, room: number, count: number, people: number): Promise<void> {
    for (let leg = 0; leg < count; leg++) await joinOne(janusUrl, room, people);
    const areConnected = () => connections.every(({ connectionState }) => connectionState === 'connected');
    await waitFor('the connections', areConnected);
  },

  async counted(): Promise<{ received: number; lost: number }> {
    return { received, lost: 0 };
  },
};

export type WeriftOrders = typeof orders;

answerWith(orders);
speak();

async function joinOne(janusUrl: string, room: number, people: number): Promise<void> {
  const session = await JanusSession.open({ url: janusUrl });
  const own = connect();
  const track = new MediaStreamTrack({ kind: 'audio' });
  own.addTransceiver(track, { direction: 'sendonly' });
  await own.setLocalDescription(await own.createOffer());
  const handle = await session.attach();
  const sdp = await handle.publish(room, FIRST_FEED + legs++, own.localDescription!.sdp);
  await own.setRemoteDescription({ type: 'answer', sdp });
  tracks.push(track);
  for (let person = 2; person < people + 2; person++) await subscribe(session, room, person);
}

async function subscribe(session: JanusSession, room: number, person: number): Promise<void> {
  const handle = await session.attach();
  const connection = connect();
  connection.onTrack.subscribe((track) => {
    track.onReceiveRtp.subscribe(() => {
      received++;
    });
  });
  await connection.setRemoteDescription({ type: 'offer', sdp: await handle.subscribe(room, person) });
  await connection.setLocalDescription(await connection.createAnswer());
  await handle.answer(connection.localDescription!.sdp);
}

function connect(): RTCPeerConnection {
  const connection = new RTCPeerConnection({ iceServers: [], codecs: { audio: [OPUS] } });
  connections.push(connection);
  return connection;
}

function speak(): void {
  const startMs = performance.now();
  let spoken = 0;
  setInterval(() => {
    for (const due = (performance.now() - startMs) / FRAME_MS; spoken < due; spoken++) {
      const timestamp = (spoken * FRAME_SAMPLES) >>> 0;
      const header = { payloadType: 96, sequenceNumber: spoken & 0xffff, timestamp, ssrc: 1 };
      for (const track of tracks) track.writeRtp(new RtpPacket(new RtpHeader(header), PAYLOAD));
    }
  }, FRAME_MS);
}
