import { loadMediaIo } from '../../../native/media-io.ts';
import type { OpenMediaLeg } from '../../contract/media-leg.ts';
import type { SipMediaOpen } from '../media-protocol.ts';
import type { SocketIo } from './media-sockets.ts';
import { NativeIo } from './native-sockets.ts';
import { portableIo } from './portable-sockets.ts';
import { SipMediaLeg } from './sip-media-leg.ts';

/** This thread's media I/O: native where it was built, unless `kind` says otherwise; throws when it must and cannot. */
export function mediaIo(kind: 'auto' | 'native' | 'portable'): SocketIo {
  if (kind === 'portable') return portableIo;
  const binding = loadMediaIo();
  if (typeof binding !== 'string') return new NativeIo(binding);
  if (kind === 'native') throw new Error(`native media I/O cannot be loaded: ${binding}`);
  return portableIo;
}

/** Opens the media half of a SIP leg on this worker; `open` is a SipMediaOpen. */
export function sipMediaOver(io: SocketIo): OpenMediaLeg {
  return async (open, memory, host) => new SipMediaLeg(await io.open(open as SipMediaOpen), memory, host);
}
