import type { Transport, TransportHost } from '../../../media/transport.ts';
import { PacketPort } from '../../../rings/packet-port.ts';
import { makeCertificate } from '../../../webrtc/dtls-session.ts';
import type { PeerObserver } from '../../../webrtc/peer-connection.ts';
import { AgentVoice } from './agent-voice.ts';
import { Connections } from './connections.ts';
import { People } from './people.ts';
import { OWN, type TalkCommands, type TalkOpen, type TalkSignal } from './talk-protocol.ts';

/** Opens the media of a call: the peer connections of its signaling on one side, the call's rings on the other. */
export async function openTalkTransport(
  { rings, iceServers }: TalkOpen,
  _memory: SharedArrayBuffer,
  host: TransportHost<TalkSignal>,
): Promise<Transport<TalkCommands>> {
  const connections = new Connections({ iceServers, certificate: await makeCertificate() });
  const port = new PacketPort(rings);
  /** Signals that the main thread waits for. */
  const mustKnow = (signal: TalkSignal): void => {
    if (!host.emit(signal)) host.fail(new Error('the main thread does not take signals'));
  };
  const people = new People({
    deliver: (packet, length, arrivalMs) => void port.receive(packet, length, arrivalMs),
    onStream: (ssrc, personId) => mustKnow({ type: 'stream', ssrc, personId }),
    onSpeaking: (personId, on) => void host.emit({ type: 'speaking', personId, on }),
  });
  const observe = (connection: string, rtp: PeerObserver['rtp']): PeerObserver => ({
    candidate: (candidate) => mustKnow({ type: 'candidate', connection, candidate }),
    connected: () => mustKnow({ type: 'connected', connection }),
    failed: (reason) => mustKnow({ type: 'failed', connection, reason }),
    rtp,
  });
  const voice = new AgentVoice();
  port.listen((record) => {
    try {
      if (voice.isNeeded(record)) connections.own?.send(record);
    } catch (error) {
      // Uncaught, it would end the thread and all its transports.
      host.fail(error);
    }
  });
  return {
    commands: {
      publish: async () => {
        const connection = await connections.open(
          OWN,
          observe(OWN, () => undefined),
        );
        return connection.offer();
      },
      answered: async (sdp) => {
        const connection = await connections.get(OWN);
        connection.accept(sdp);
      },
      subscribe: async (personId, offer) => {
        let take: PeerObserver['rtp'] = () => undefined;
        const rtp: PeerObserver['rtp'] = (packet, levelDb, arrivalMs) => take(packet, levelDb, arrivalMs);
        const connection = await connections.open(personId, observe(personId, rtp));
        try {
          const answer = connection.answer(offer);
          take = people.begin(personId);
          return answer;
        } catch (error) {
          connections.remove(personId);
          throw error;
        }
      },
      unsubscribe: async (personId) => connections.remove(personId),
      candidate: async (name, candidate) => {
        if (candidate === null) return;
        const connection = await connections.get(name);
        connection.addCandidate(candidate.candidate);
      },
    },
    close: () => {
      port.close();
      people.close();
      connections.close();
    },
  };
}
