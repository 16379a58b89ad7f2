import { classifyInboundRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { isRpcId } from '../rpc-message.ts';

const MAX_ENVELOPES = 1_000;
/** Longer envelopes are left to the SDK. */
const MAX_LENGTH = 4_096;

type Meta = Readonly<Record<string, unknown>>;

/** The client descriptions that come with every request of the 2026 protocol; each is validated by the SDK once. */
export class EnvelopeCache {
  readonly #valid = new Set<string>();

  isValid(meta: Meta): boolean {
    const { progressToken, ...envelope } = meta;
    if (progressToken !== undefined && !isRpcId(progressToken)) return false;
    const text = JSON.stringify(envelope);
    if (this.#valid.has(text)) return true;
    if (text.length > MAX_LENGTH || !isAccepted(envelope)) return false;
    if (this.#valid.size >= MAX_ENVELOPES) this.#valid.clear();
    this.#valid.add(text);
    return true;
  }
}

function isAccepted(envelope: Meta): boolean {
  const body = { jsonrpc: '2.0', id: 0, method: 'ping', params: { _meta: envelope } };
  const protocolVersionHeader = envelope[PROTOCOL_VERSION_META_KEY] as string;
  return classifyInboundRequest({ httpMethod: 'POST', protocolVersionHeader, body }).kind === 'modern';
}
