import { systemClock } from '../../../base/time.ts';
import { wallMs } from '../../../base/wall-ms.ts';
import type { Transport, TransportHost } from '../../../media/transport.ts';
import { PacketPort } from '../../../rings/packet-port.ts';
import { Streams } from './streams.ts';
import { InboundAudio, OutboundAudio } from './voice-audio.ts';
import type { VoiceOpen, VoiceSignal } from './voice-protocol.ts';
import { VoiceSession } from './voice-session.ts';

/** How long a new session waits for the keys of the end-to-end encryption, and to hear that somebody is there at all. */
const KEYS_WITHIN_MS = 2_000;
const ALONE_AFTER_MS = 300;
const LOOK_EVERY_MS = 20;

/** Opens a voice session, between the voice server's sockets and the call's rings. `opened` or `closed` follows. */
export async function openVoiceTransport(
  { accountId, access, rings }: VoiceOpen,
  _memory: SharedArrayBuffer,
  host: TransportHost<VoiceSignal>,
): Promise<Transport<Record<never, never>>> {
  const leave = await host.turn(accountId);
  const port = new PacketPort(rings);
  const streams = new Streams({
    nowMs: wallMs,
    onStream: (ssrc, userId) => void host.emit({ type: 'stream', ssrc, userId }),
    onSpeaking: (userId, on) => void host.emit({ type: 'speaking', userId, on }),
  });
  /** Signals that the main thread waits for. */
  const mustKnow = (signal: VoiceSignal): void => {
    if (!host.emit(signal)) host.fail(new Error('the main thread does not take signals'));
  };
  const close = (): void => {
    leave();
    port.close();
    streams.close();
    session.close();
  };
  const session: VoiceSession = new VoiceSession(access, systemClock, {
    opened: () =>
      void keysArrive(session).then(() => {
        leave();
        if (!session.isOver) mustKnow({ type: 'opened' });
      }),
    datagram: (bytes) => inbound.receive(bytes, wallMs()),
    people: (userIds) => void host.emit({ type: 'people', userIds }),
    left: (userId) => streams.remove(userId),
    stream: (ssrc, userId) => {
      streams.name(ssrc, userId);
      inbound.named(ssrc, userId);
    },
    closed: (code, reason) => {
      close();
      mustKnow({ type: 'closed', code, reason });
    },
  });
  const inbound = new InboundAudio({
    session,
    streams,
    deliver: (packet, length, arrivalMs) => void port.receive(packet, length, arrivalMs),
  });
  const outbound = new OutboundAudio(session);
  port.listen((record) => {
    try {
      outbound.send(record);
    } catch (error) {
      // Uncaught, it would end the thread and all its transports.
      host.fail(error);
    }
  });
  return { commands: {}, close };
}

/** What the agent says before that, nobody could decrypt. Resolves also when the session is over. */
async function keysArrive(session: VoiceSession): Promise<void> {
  const beganMs = wallMs();
  for (let waitedMs = 0; waitedMs < KEYS_WITHIN_MS && !session.isOver; waitedMs = wallMs() - beganMs) {
    if (session.isAlone ? waitedMs >= ALONE_AFTER_MS : session.maySend) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
