import type { TlsOptions } from 'node:tls';
import { listenFailure } from '../../../../base/listen-failure.ts';
import type { StreamTransport } from './stream-transport.ts';
import { UdpTransport } from './udp-transport.ts';
import type { ReceiveMessage } from './wire.ts';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** The port is a default, so the next free one may be used instead. */
  readonly portIsDefault: boolean;
}

const MAX_PORTS_TRIED = 100;
const SETTINGS = { hostSetting: 'SVC_SIP_HOST' } as const;

/** Listens for UDP and TCP on the same port. Returns the UDP socket and the port. */
export async function listenUdpAndTcp(
  options: ListenOptions,
  streams: StreamTransport,
  receive: ReceiveMessage,
): Promise<{ udp: UdpTransport; port: number }> {
  const tries = options.portIsDefault || options.port === 0 ? MAX_PORTS_TRIED : 1;
  for (let index = 0; ; index += 1) {
    const udp = new UdpTransport(receive);
    try {
      const port = await udp.listen(options.host, options.port === 0 ? 0 : options.port + index);
      await streams.listenTcp(options.host, port);
      return { udp, port };
    } catch (error) {
      udp.close();
      if (!isPortTaken(error) || index + 1 >= tries)
        throw listenFailure(error, { ...options, ...SETTINGS, portSetting: 'SVC_SIP_PORT' });
    }
  }
}

/** Listens for TLS. Returns the port. */
export async function listenTls(
  host: string,
  options: TlsListenOptions,
  streams: StreamTransport,
): Promise<number> {
  try {
    return await streams.listenTls(host, options.port, options);
  } catch (error) {
    throw listenFailure(error, { host, port: options.port, ...SETTINGS, portSetting: 'SVC_SIP_TLS_PORT' });
  }
}

/** Whether an error says that a port is in use. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** TLS certificate and port for SIP over TLS (RFC 3261 section 19.1.2). */
export interface TlsListenOptions extends TlsOptions {
  readonly port: number;
}
