import * as z from 'zod';
import { CALLER_HEADERS } from '../../connectors/contract/sip-accounts.ts';
import { named, VoiceConfigId } from './fields.ts';

/** Text for SIP headers or URIs: printable ASCII without characters that end a quoted string or an address. */
const HEADER_SAFE = /^[!#-;=?-[\]-~]+$/;
const QUOTED_SAFE = /^[ !#-[\]-~]+$/;
/** Any characters except control characters. */
const PASSWORD = /^[ -~\u00a0-\uffff]+$/;

const Host = z
  .union([z.ipv4(), z.ipv6(), z.hostname().max(253)], {
    error: 'Input should be a host name or an IP address, such as sip.example.com or 192.0.2.10',
  })
  .describe('Host name (SRV records are used) or IP address of the trunk');

const Transport = z.enum(['udp', 'tcp', 'tls']);
const Srtp = z.enum(['off', 'optional', 'required']);

const CallerFrom = z.enum(CALLER_HEADERS);
const CallerIdIn = z.enum(['from', 'p_asserted_identity', 'p_preferred_identity']);

export const SipTrunkBody = named('SipTrunkBody', {
  host: Host,
  port: z.int().min(1).max(65_535).default(5060),
  transport: Transport.default('udp'),
  username: z
    .string()
    .max(128)
    .regex(
      HEADER_SAFE,
      'Input should be printable ASCII characters without spaces or any of " < > \\, such as 1001',
    ),
  password: z
    .string()
    .max(256)
    .regex(PASSWORD, 'Input should be characters without control characters')
    .optional()
    .describe('Never returned. Default: the stored one'),
  realm: z
    .string()
    .max(255)
    .regex(
      QUOTED_SAFE,
      'Input should be printable ASCII characters without quotes and backslashes, such as sip.example.com',
    )
    .nullish()
    .describe(
      'Realm for digest authentication, if the provider requires one. Default: the realm of the challenge',
    ),
  caller_id: z
    .string()
    .regex(
      /^\+?[\w.-]{1,64}$/,
      'Input should be a number or a name of letters, digits, dots, dashes and underscores, such as +33123456789 or 1001',
    )
    .nullish()
    .describe('Number or user part shown to called parties. Default: the user name'),
  register: z
    .boolean()
    .default(true)
    .describe('Register with the trunk, which inbound calls usually require'),
  srtp: Srtp.default('off').describe('Audio encryption with SDES keys (RFC 4568)'),
  behind_nat: z
    .boolean()
    .default(false)
    .describe(
      "The trunk's audio may come from other addresses than those in SDP and may change during a call",
    ),
  media_timeout_s: z
    .int()
    .min(0)
    .max(3_600)
    .nullish()
    .describe(
      'Seconds without any packet of the other side, RTP or RTCP, after which a call counts as lost; 0: never. Default: the setting of the gateway',
    ),
  caller_id_in: CallerIdIn.default('from').describe(
    'Header that carries the `caller_id`. With any but `from`, From has the user name, as some providers demand',
  ),
  caller_from: CallerFrom.default('p_asserted_identity').describe(
    'First header that may name who calls in: P-Asserted-Identity, then Remote-Party-ID, then From. With `from`, only From, for providers that pass on what callers claim in the others',
  ),
});

const Registration = named('SipRegistration', {
  state: z.enum(['registered', 'registering', 'failed', 'off']),
  last_error: z
    .string()
    .nullable()
    .describe(
      "`unreachable`, `tls_failed`, `not_allowed` (this account may not use the address), or the server's answer, such as `401 Unauthorized`",
    ),
  expires_at: z.string().nullable(),
});

/** A trunk without its password. */
export const SipTrunk = named('SipTrunk', {
  host: z.string(),
  port: z.int(),
  transport: Transport,
  username: z.string(),
  realm: z.string().nullable(),
  caller_id: z.string().nullable(),
  register: z.boolean(),
  srtp: Srtp,
  behind_nat: z.boolean(),
  media_timeout_s: z.int().nullable(),
  caller_id_in: CallerIdIn,
  caller_from: CallerFrom,
  inbound_uri: z
    .string()
    .nullable()
    .describe(
      'URI to which a provider without registration sends calls, with the number in To or after the user part (`sip:<token>.<number>@…`). Its user part is secret. Null until the gateway knows its own address towards the trunk',
    ),
  registration: Registration,
});

export const SipDidParams = z.object({ did_id: z.string().describe('Identifier of the listed number') });

const Label = z.string().min(1).max(80).describe('A descriptive name');

const Presets = {
  stt_voice_config_id: VoiceConfigId.nullish().describe(
    'Speech-recognition preset of its calls. Default: the enabled one. While it is disabled, they have raw audio',
  ),
  tts_voice_config_id: VoiceConfigId.nullish().describe('Text-to-speech preset of its calls, likewise'),
};

export const CreateSipDidBody = named('CreateSipDid', {
  number: z
    .string()
    .regex(/^(?:\+[1-9]\d{6,14}|\d{1,15})$/, {
      error:
        'Input should be E.164, such as +33123456789, or the digits of an extension or national number, such as 1001',
    })
    .describe(
      'E.164, such as `+33123456789`; or, as your exchange dials it, an extension or national number of digits only, such as `1001`',
    ),
  label: Label.nullish(),
  auto_answer: z.boolean().default(false).describe('Answer at once. Otherwise calls ring for 60 s'),
  ...Presets,
});

export const ChangeSipDidBody = named('ChangeSipDid', {
  label: Label.nullish(),
  auto_answer: z.boolean().optional(),
  ...Presets,
});

export const SipDid = named('SipDid', {
  did_id: z.string(),
  number: z.string().describe('As it was listed'),
  label: z.string().nullable(),
  auto_answer: z.boolean(),
  stt_voice_config_id: z.string().nullable(),
  tts_voice_config_id: z.string().nullable(),
  created_at: z.string(),
});

export const SipDidList = named('SipDidList', { dids: z.array(SipDid) });
