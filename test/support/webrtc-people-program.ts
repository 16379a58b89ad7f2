/**
 * People of a meeting by libwebrtc, in a process of their own, which it may abort. `webrtc-people.ts` starts it and says what is
 * exchanged.
 */
import wrtc from '@roamhq/wrtc';
import type { IceCandidate } from '../../src/media/ice.ts';
import { Tone } from './tone.ts';

/** The parts of libwebrtc that are used here. The package describes them in terms of a browser's types. */
interface LibWebRtc {
  readonly RTCPeerConnection: new (options: object) => PeerConnection;
  readonly nonstandard: {
    readonly RTCAudioSource: new () => AudioSource;
    readonly RTCAudioSink: new (track: object) => AudioSink;
  };
}
interface PeerConnection {
  onicecandidate: ((event: { candidate: IceCandidate | null }) => void) | null;
  onconnectionstatechange: (() => void) | null;
  ontrack: ((event: { track: object }) => void) | null;
  readonly connectionState: string;
  addTransceiver(track: object, options: object): void;
  createOffer(): Promise<{ sdp: string }>;
  createAnswer(): Promise<{ sdp: string }>;
  setLocalDescription(description: object): Promise<void>;
  setRemoteDescription(description: object): Promise<void>;
  addIceCandidate(candidate: object): Promise<void>;
  close(): void;
}
interface AudioSource {
  createTrack(): object;
  onData(data: object): void;
}
interface AudioSink {
  ondata: ((data: { readonly samples: Int16Array; readonly sampleRate: number }) => void) | null;
}

export interface PeopleOrder {
  readonly id: number;
  readonly order: keyof PeopleOrders;
  readonly args: readonly unknown[];
}

export type PeopleEvent =
  | { readonly type: 'done'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
  | { readonly type: 'candidate'; readonly name: string; readonly candidate: IceCandidate }
  | { readonly type: 'state'; readonly name: string; readonly state: string };

const { RTCPeerConnection, nonstandard }: LibWebRtc = wrtc;
const SAMPLE_RATE_HZ = 48_000;
const FRAME_MS = 10;
const KEPT_SAMPLES = 30 * SAMPLE_RATE_HZ;

const connections = new Map<string, PeerConnection>();
const heard = new Map<string, number[]>();

function tell(event: PeopleEvent): void {
  process.send!(event);
}

function connect(name: string): PeerConnection {
  connections.get(name)?.close();
  const connection = new RTCPeerConnection({ iceServers: [] });
  connection.onicecandidate = ({ candidate }) => {
    if (candidate === null || candidate.candidate === '') return;
    const { sdpMid, sdpMLineIndex } = candidate;
    tell({ type: 'candidate', name, candidate: { candidate: candidate.candidate, sdpMid, sdpMLineIndex } });
  };
  connection.onconnectionstatechange = () => tell({ type: 'state', name, state: connection.connectionState });
  connections.set(name, connection);
  return connection;
}

/** Plays without end, as a microphone would. */
function play(source: AudioSource, toneHz: number): void {
  const tone = new Tone(toneHz, SAMPLE_RATE_HZ, 0.3);
  const startMs = performance.now();
  let played = 0;
  setInterval(() => {
    for (const due = (performance.now() - startMs) / FRAME_MS; played < due; played++) {
      const samples = new Int16Array((SAMPLE_RATE_HZ * FRAME_MS) / 1000);
      tone.fill(samples);
      const format = { sampleRate: SAMPLE_RATE_HZ, bitsPerSample: 16, channelCount: 1 };
      source.onData({ samples, ...format, numberOfFrames: samples.length });
    }
  }, FRAME_MS);
}

const orders = {
  async publish(name: string, toneHz: number): Promise<string> {
    const connection = connect(name);
    const source = new nonstandard.RTCAudioSource();
    connection.addTransceiver(source.createTrack(), { direction: 'sendonly' });
    play(source, toneHz);
    const offer = await connection.createOffer();
    await connection.setLocalDescription({ type: 'offer', sdp: offer.sdp });
    return offer.sdp;
  },

  async answered(name: string, sdp: string): Promise<void> {
    await connections.get(name)!.setRemoteDescription({ type: 'answer', sdp });
  },

  async listen(name: string, offer: string): Promise<string> {
    const connection = connect(name);
    const samples: number[] = [];
    heard.set(name, samples);
    connection.ontrack = ({ track }) => {
      new nonstandard.RTCAudioSink(track).ondata = (data) => {
        if (data.sampleRate !== SAMPLE_RATE_HZ || samples.length > KEPT_SAMPLES) return;
        for (const sample of data.samples) samples.push(sample);
      };
    };
    await connection.setRemoteDescription({ type: 'offer', sdp: offer });
    const answer = await connection.createAnswer();
    await connection.setLocalDescription({ type: 'answer', sdp: answer.sdp });
    return answer.sdp;
  },

  async candidate(name: string, candidate: object): Promise<void> {
    await connections.get(name)!.addIceCandidate(candidate);
  },

  /** What a listener has heard since the last time, at 48,000 Hz. */
  async heard(name: string): Promise<Int16Array> {
    return Int16Array.from(heard.get(name)!.splice(0));
  },

  async close(name: string): Promise<void> {
    connections.get(name)!.close();
    connections.delete(name);
  },
};

export type PeopleOrders = typeof orders;

process.on('message', ({ id, order, args }: PeopleOrder) => {
  const run = orders[order] as (...args: readonly unknown[]) => Promise<unknown>;
  run(...args).then(
    (value) => tell({ type: 'done', id, value }),
    ({ message }: Error) => tell({ type: 'failed', id, message }),
  );
});
