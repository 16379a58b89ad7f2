import wrtc from '@roamhq/wrtc';

/** The parts of libwebrtc that are used here. The package describes them in terms of a browser's types. */
interface LibWebRtc {
  readonly RTCPeerConnection: new (options: { readonly iceServers: readonly string[] }) => PeerConnection;
  readonly nonstandard: {
    /** Plays a track: the decoder and NetEq run at their own pace, in threads of libwebrtc. */
    readonly RTCAudioSink: new (
      track: Track,
    ) => AudioSink;
  };
}

/** Opaque. */
export interface Track {
  readonly kind: string;
}

export interface PeerConnection {
  readonly iceGatheringState: string;
  readonly localDescription: { readonly sdp: string } | null;
  ontrack: ((event: { readonly track: Track }) => void) | null;
  setRemoteDescription(description: { readonly type: 'offer'; readonly sdp: string }): Promise<void>;
  createAnswer(): Promise<{ readonly sdp: string }>;
  setLocalDescription(description: { readonly sdp: string }): Promise<void>;
  close(): void;
}

interface AudioSink {
  ondata: ((data: AudioData) => void) | null;
  stop(): void;
}

/** 10 ms of 16-bit samples, interleaved. */
export interface AudioData {
  readonly samples: Int16Array;
  readonly sampleRate: number;
  readonly channelCount: number;
}

export const { RTCPeerConnection, nonstandard }: LibWebRtc = wrtc;
