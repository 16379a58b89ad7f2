import type { Transport, TransportHost } from '../../../src/media/transport.ts';
import type { LoopbackOpen, LoopbackSignal } from './loopback-protocol.ts';
import { openMediaPort } from './media-ports.ts';

/** One second of PCM. A vendor that does not read gets no more; what it hears then has a gap. */
const MAX_UNSENT_BYTES = 96_000;

/** Media of one session: the vendor's WebSocket on one side, the call's rings on the other. */
export async function openLoopbackTransport(
  { url, media }: LoopbackOpen,
  _memory: SharedArrayBuffer,
  host: TransportHost<LoopbackSignal>,
): Promise<Transport<Record<never, never>>> {
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  const port = openMediaPort(media);
  socket.addEventListener('message', ({ data }: { data: string | ArrayBuffer }) => {
    try {
      if (typeof data === 'string') host.emit(data);
      else port.receive(data);
    } catch (error) {
      // Uncaught, it would end the thread and all its transports.
      host.fail(error);
    }
  });
  const close = (): void => {
    port.close();
    socket.close();
  };
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
  socket.addEventListener('open', () => resolve());
  // An error is always followed by the end.
  socket.addEventListener('close', () => {
    const error = new Error('the vendor closed the media connection');
    reject(error);
    host.fail(error);
  });
  try {
    await opened;
  } catch (error) {
    close();
    throw error;
  }
  port.listen((message) => {
    if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < MAX_UNSENT_BYTES)
      socket.send(message);
  });
  return { commands: {}, close };
}
