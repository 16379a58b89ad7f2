import { PayloadTypes } from '../../../../../src/connectors/sip/signaling/sdp/payload-types.ts';
import { newLocalKeys } from '../../../../../src/connectors/sip/signaling/sdp/sdes.ts';
import type { LocalAudio, SrtpPolicy } from '../../../../../src/connectors/sip/signaling/sdp/sdp-local.ts';
import type { RtpCodec } from '../../../../../src/rtp/rtp-protocol.ts';

/** Our side of a call's audio, at a fixed address and port. */
export function localAudio(srtp: SrtpPolicy, codecs: readonly RtpCodec[]): LocalAudio {
  return {
    host: '192.0.2.1',
    rtpPort: 20_000,
    sessionId: 5,
    srtp,
    keys: newLocalKeys(),
    codecs,
    payloadTypes: new PayloadTypes(),
  };
}
