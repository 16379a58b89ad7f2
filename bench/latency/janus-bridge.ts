import { claimRtpPorts } from '../../test/support/free-ports.ts';
import { JanusProcess } from '../janus/janus-process.ts';
import type { Bridge, PhonePair } from './bridge.ts';

const ROOM_RATE_HZ = 8_000;

/** Janus' AudioBridge with plain-RTP participants in PCMU, two in each room of 8 kHz. */
export async function startJanusBridge(
  prefix: readonly string[],
  pairs: readonly PhonePair[],
): Promise<Bridge> {
  const claim = await claimRtpPorts(pairs.length * 4 + 8);
  const janus = await JanusProcess.start(prefix, { host: '127.0.0.1', first: claim.first, last: claim.last });
  const stop = async (): Promise<void> => {
    await janus.stop();
    claim.release();
  };
  try {
    const ports: PhonePair[] = [];
    for (const [room, pair] of pairs.entries()) ports.push(await openRoom(janus, room + 1, pair));
    return { name: 'Janus AudioBridge', ports, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openRoom({ api }: JanusProcess, room: number, [first, second]: PhonePair): Promise<PhonePair> {
  await api.createRoom(room, ROOM_RATE_HZ);
  const join = async (port: number) => (await api.join(room, { port, codec: 'pcmu', payloadType: 0 })).port;
  return [await join(first), await join(second)];
}
