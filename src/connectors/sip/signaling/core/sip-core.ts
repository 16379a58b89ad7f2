import { randomBytes } from 'node:crypto';
import {
  C,
  ClientTransaction,
  type DigestAuthentication,
  type IncomingInviteRequest,
  LoggerFactory,
  type OutgoingInviteRequest,
  type OutgoingRequestMessage,
  type Session,
  SessionDialog,
  type Transport,
  UserAgentCore,
} from 'sip.js/lib/core/index.js';
import { AllowedMethods } from 'sip.js/lib/core/user-agent-core/allowed-methods.js';
import { type DigestAccount, DigestCredentials } from '../digest/digest-credentials.ts';
import { answerAllChallenges } from './authentication.ts';
import { GATEWAY_HOST, sipUri, speedUpGrammar } from './uri-grammar.ts';

export type {
  Body,
  IncomingAckRequest,
  IncomingInfoRequest,
  IncomingInviteRequest,
  IncomingPrackRequest,
  IncomingRequestMessage,
  IncomingResponseMessage,
  OutgoingInviteRequest,
  OutgoingInviteRequestDelegate,
  Session,
  SessionDelegate,
  URI,
  UserAgentCore,
} from 'sip.js/lib/core/index.js';

/** The methods we support. sip.js lists them in Allow and answers 405 to all others. */
export const ALLOWED_METHODS: readonly string[] = [
  'INVITE',
  'ACK',
  'BYE',
  'CANCEL',
  'OPTIONS',
  'INFO',
  'PRACK',
  'REFER',
];

/** Extensions accepted in Require. */
export const SUPPORTED_EXTENSIONS: readonly string[] = ['100rel', 'timer'];

export const USER_AGENT = 'voice-chat-gateway';

speedUpGrammar();
answerAllChallenges();

// sip.js keeps this list in a constant array and has no setting for it.
AllowedMethods.splice(0, AllowedMethods.length, ...ALLOWED_METHODS);

// sip.js picks branches from ten million values: with a few hundred calls, two collide within seconds.
Object.assign(ClientTransaction, {
  makeId: (request: OutgoingRequestMessage): string =>
    request.method === C.CANCEL && request.branch !== undefined
      ? request.branch
      : `z9hG4bK${randomBytes(12).toString('hex')}`,
});

// When two re-INVITEs overlap, sip.js loses one timer and repeats a 200 forever if no ACK arrives. The loop ends once
// no re-INVITE is waiting for an ACK.
const { dispose } = SessionDialog.prototype;
SessionDialog.prototype.dispose = function (this: SessionDialog): void {
  dispose.call(this);
  Object.assign(this, { reinviteUserAgentServer: undefined });
};

/**
 * Frees a dialog's INVITE and its ACK, about 7 KB that sip.js keeps for the dialog's lifetime although it only checks
 * the transaction's type. Call it once a 2xx has been acknowledged, or may no longer be repeated.
 */
export function forgetInvite(dialog: Session): void {
  const { initialTransaction } = dialog as unknown as { readonly initialTransaction: object };
  Object.assign(dialog, { initialTransaction: Object.create(Object.getPrototypeOf(initialTransaction)) });
}

/**
 * Drops an INVITE that keeps ringing after its CANCEL (RFC 3261 section 9.1). sip.js would keep it, and the dialogs
 * opened by its provisional answers, for the trunk's lifetime.
 */
export function abandonInvite(core: UserAgentCore, request: OutgoingInviteRequest): void {
  const { transaction } = request as unknown as { readonly transaction: ClientTransaction };
  request.dispose();
  core.userAgentClients.delete(`${transaction.id}${C.INVITE}`);
}

/** Returns the Request-URI of an open INVITE by the branch of its Via; null when there is none. */
export function inviteTargetOf(core: UserAgentCore, branch: string): string | null {
  const client = core.userAgentClients.get(`${branch}${C.INVITE}`);
  return (client as unknown as { message: OutgoingRequestMessage } | undefined)?.message.ruri.toRaw() ?? null;
}

/** Keeps sip.js from repeating in our 2xx the answer that the peer has given by PRACK. */
export function forgetAnswer(dialog: Session): void {
  Object.assign(dialog, { _answer: undefined });
}

/** Drops a dialog in which sip.js cannot send BYE. Safe when the dialog is already gone. */
export function dropDialog(dialog: Session): void {
  (dialog as unknown as { dispose(): void }).dispose();
}

/** Drops the remaining dialogs of an outbound call: late answers may have opened some in sip.js. */
export function dropDialogsOf(core: UserAgentCore, callId: string): void {
  for (const dialog of [...core.dialogs.values()]) if (dialog.callId === callId) dialog.dispose();
}

/** Our end of the dialogs. It may change while the core lives, so it is read each time. */
interface LocalEnd {
  readonly dialogUser: string;
  /** Contact URI without brackets. */
  readonly contactUri: string;
  /** `host:port` for Via. */
  readonly own: { readonly sentBy: string };
  readonly transport: string;
  invited(request: IncomingInviteRequest): void;
}

/** Creates a sip.js user agent core for one route: transactions and dialogs, without the browser parts. */
export function createCore(
  end: LocalEnd,
  account: DigestAccount | undefined,
  send: Transport['send'],
): UserAgentCore {
  const loggerFactory = new LoggerFactory();
  loggerFactory.builtinEnabled = false;
  const aor = sipUri(end.dialogUser, GATEWAY_HOST);
  const credentials = (): unknown => account && new DigestCredentials(account);
  const transport: Transport = {
    get protocol() {
      return end.transport.toUpperCase();
    },
    send,
  };
  const core = new UserAgentCore(
    {
      aor,
      contact: {
        uri: aor,
        pubGruu: undefined,
        tempGruu: undefined,
        toString: () => `<${end.contactUri}>`,
      },
      displayName: '',
      loggerFactory,
      hackViaTcp: false,
      routeSet: [],
      sipjsId: randomBytes(4).toString('hex'),
      supportedOptionTags: [...SUPPORTED_EXTENSIONS],
      supportedOptionTagsResponse: [...SUPPORTED_EXTENSIONS],
      userAgentHeaderFieldValue: USER_AGENT,
      viaForceRport: true,
      get viaHost() {
        return end.own.sentBy;
      },
      // sip.js declares its own class here; `authentication` takes ours.
      authenticationFactory: () => credentials() as DigestAuthentication,
      transportAccessor: () => transport,
    },
    { onInvite: (request) => end.invited(request) },
  );
  // sip.js compares each new request with all requests of the last 32 s. The guard detects merged requests in one step.
  Object.assign(core.userAgentServers, { values: () => [].values() });
  return core;
}
