import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../../src/base/time.ts';
import { type Check, faultOf, faultOfQuery, isNumeral, isOneOf, isText, type Shape } from '../shape.ts';
import { SpeechSockets, type UpgradeRefusal, type VendorEnd } from '../speech-sockets.ts';
import { BAD_KEY, deepgramRefusal, hasKey } from './deepgram-errors.ts';
import { FluxSession } from './flux-session.ts';
import { NovaSession } from './nova-session.ts';

const isTrueOrFalse = isOneOf('true', 'false');
const isNova: Check = (value) => typeof value === 'string' && /^(?:nova|enhanced|base)/.test(value);
const isFlux = isOneOf('flux-general-en', 'flux-general-multi');

/** Parameters of `/v1/listen` in deepgram-api-specs/asyncapi.yml that make sense for raw mono audio. */
const NOVA_QUERY: Shape = {
  model: isNova,
  encoding: isOneOf('linear16', 'mulaw', 'alaw'),
  sample_rate: isNumeral(8_000, 48_000),
  'channels?': isOneOf('1'),
  'language?': isText,
  'interim_results?': isTrueOrFalse,
  'endpointing?': (value) => value === 'false' || isNumeral(10, 10_000)(value),
  'utterance_end_ms?': isNumeral(1_000, 5_000),
  'vad_events?': isTrueOrFalse,
  'smart_format?': isTrueOrFalse,
  'punctuate?': isTrueOrFalse,
  'numerals?': isTrueOrFalse,
  'profanity_filter?': isTrueOrFalse,
  'mip_opt_out?': isTrueOrFalse,
  'diarize_model?': isOneOf('latest', 'v1'),
  'redact?': isOneOf('true', 'false', 'pci', 'numbers', 'aggressive_numbers', 'ssn'),
  'keyterm?': isText,
  'keywords?': isText,
};

/** Parameters of `/v2/listen`. */
const FLUX_QUERY: Shape = {
  model: isFlux,
  encoding: isOneOf('linear16', 'mulaw', 'alaw'),
  sample_rate: isNumeral(8_000, 48_000),
  'eot_threshold?': isNumeral(0.5, 1),
  'eager_eot_threshold?': isNumeral(0.3, 0.9),
  'eot_timeout_ms?': isNumeral(500, 60_000),
  'numerals?': isTrueOrFalse,
  'profanity_filter?': isTrueOrFalse,
  'mip_opt_out?': isTrueOrFalse,
  'keyterm?': isText,
  'language_hint?': isText,
  'redact?': isOneOf('numbers', 'aggressive_numbers'),
};
const REPEATED = ['keyterm', 'keywords', 'redact', 'language_hint'];

/** A message of a client. */
const MESSAGE: Shape = { type: isText };

/** Deepgram's speech-to-text sockets. They understand tone speech. */
export class DeepgramSttSocket extends SpeechSockets {
  readonly #key: string;
  readonly #clock: Clock;

  constructor(key: string, clock: Clock) {
    super();
    this.#key = key;
    this.#clock = clock;
  }

  protected matches(path: string): boolean {
    return path === '/v1/listen' || path === '/v2/listen';
  }

  protected refusalOf(
    { pathname, searchParams: query }: URL,
    headers: IncomingHttpHeaders,
  ): UpgradeRefusal | null {
    if (!hasKey(headers, this.#key)) return BAD_KEY;
    const fault =
      faultOfQuery(query, pathname === '/v1/listen' ? NOVA_QUERY : FLUX_QUERY, REPEATED) ?? pairFault(query);
    if (fault === null) return null;
    this.offences.push(fault);
    return deepgramRefusal(400, 'INVALID_QUERY_PARAMETER', fault);
  }

  protected open(end: VendorEnd, { pathname, searchParams }: URL): void {
    const Session = pathname === '/v1/listen' ? NovaSession : FluxSession;
    const session = new Session(end, searchParams, this.#clock, (offence) => this.offences.push(offence));
    end.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return session.hear(data);
      const message = parse(data.toString('utf8'));
      const fault = faultOf(message, MESSAGE);
      if (fault === null) session.take((message as { type: string }).type);
      else session.refuse(fault);
    });
    end.socket.on('close', () => session.stop());
  }
}

/** Parameters that do not go with others. */
function pairFault(query: URLSearchParams): string | null {
  const model = query.get('model') ?? '';
  if (query.has('keyterm') && model.startsWith('nova-2')) return 'keyterm is only for nova-3';
  if (query.has('keywords') && model.startsWith('nova-3')) return 'keywords is not for nova-3';
  if (query.has('utterance_end_ms') && query.get('interim_results') !== 'true')
    return 'utterance_end_ms needs interim_results';
  if (query.has('language_hint') && model !== 'flux-general-multi')
    return 'language_hint is only for flux-general-multi';
  return null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
