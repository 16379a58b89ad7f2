import type { OpenMediaLeg } from '../../contract/media-leg.ts';
import type { SipMediaOpen } from '../media-protocol.ts';
import { MediaSockets } from './media-sockets.ts';
import { SipMediaLeg } from './sip-media-leg.ts';

/** Opens the media half of a SIP leg on this worker; `open` is a SipMediaOpen. */
export const openSipMedia: OpenMediaLeg = async (open, memory, host) =>
  new SipMediaLeg(await MediaSockets.open(open as SipMediaOpen), memory, host);
