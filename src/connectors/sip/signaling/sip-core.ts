import { randomBytes } from 'node:crypto';
import {
  C,
  ClientTransaction,
  type DigestAuthentication,
  LoggerFactory,
  type OutgoingInviteRequest,
  type OutgoingRequestMessage,
  type Session,
  SessionDialog,
  type Transport,
  URI,
  UserAgentCore,
  type UserAgentCoreDelegate,
} from 'sip.js/lib/core/index.js';
import { AllowedMethods } from 'sip.js/lib/core/user-agent-core/allowed-methods.js';
import { speedUpGrammar } from './message/uri-grammar.ts';

/** What we really do; sip.js names it in Allow and answers 405 to the rest. */
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

/** Extensions that a Require may ask for. */
export const SUPPORTED_EXTENSIONS: readonly string[] = ['100rel'];

export const USER_AGENT = 'voice-chat-gateway';

speedUpGrammar();

// sip.js keeps this list in a constant array without a setting for it.
AllowedMethods.splice(0, AllowedMethods.length, ...ALLOWED_METHODS);

// sip.js draws branches from ten million numbers: at some hundred calls two of them meet within seconds.
Object.assign(ClientTransaction, {
  makeId: (request: OutgoingRequestMessage): string =>
    request.method === C.CANCEL && request.branch !== undefined
      ? request.branch
      : `z9hG4bK${randomBytes(12).toString('hex')}`,
});

// Of two re-INVITEs that overlap sip.js loses one timer, and repeats a 200 for ever when no ACK comes; the loop ends when
// nobody waits for one.
const { dispose } = SessionDialog.prototype;
SessionDialog.prototype.dispose = function (this: SessionDialog): void {
  dispose.call(this);
  Object.assign(this, { reinviteUserAgentServer: undefined });
};

/**
 * Once a 2xx has been acknowledged, or may no longer be repeated. sip.js keeps the INVITE of a dialog and its ACK, some
 * 7 KB, for the dialog's life, and asks only of what kind it was.
 */
export function forgetInvite(dialog: Session): void {
  const { initialTransaction } = dialog as unknown as { readonly initialTransaction: object };
  Object.assign(dialog, { initialTransaction: Object.create(Object.getPrototypeOf(initialTransaction)) });
}

/**
 * An INVITE that rings on although it was cancelled (RFC 3261 section 9.1): sip.js would keep it, and the dialogs that
 * its provisional answers have begun, for as long as the trunk lives.
 */
export function abandonInvite(core: UserAgentCore, request: OutgoingInviteRequest): void {
  const { transaction } = request as unknown as { readonly transaction: ClientTransaction };
  request.dispose();
  core.userAgentClients.delete(`${transaction.id}${C.INVITE}`);
}

/** Forgets a dialog in which sip.js will not say BYE. Safe when it is gone already. */
export function dropDialog(dialog: Session): void {
  (dialog as unknown as { dispose(): void }).dispose();
}

/** Forgets what is left of a call that we have placed: answers that came late may have begun dialogs in sip.js. */
export function dropDialogsOf(core: UserAgentCore, callId: string): void {
  for (const dialog of [...core.dialogs.values()]) if (dialog.callId === callId) dialog.dispose();
}

/** Our end of a trunk; it may change while the core lives, so it is asked each time. */
interface LocalEnd {
  /** `host:port` for Via. */
  readonly sentBy: string;
  /** Contact URI without brackets. */
  readonly contact: string;
}

export interface CoreSettings {
  readonly contactUser: string;
  readonly local: () => LocalEnd;
  readonly transport: Transport;
  readonly credentials: () => unknown;
}

/** A user agent core of sip.js for one trunk: transactions and dialogs, and nothing of a browser. */
export function createCore(settings: CoreSettings, delegate: UserAgentCoreDelegate): UserAgentCore {
  const loggerFactory = new LoggerFactory();
  loggerFactory.builtinEnabled = false;
  const aor = new URI('sip', settings.contactUser, 'gateway.invalid');
  const core = new UserAgentCore(
    {
      aor,
      contact: {
        uri: aor,
        pubGruu: undefined,
        tempGruu: undefined,
        toString: () => `<${settings.local().contact}>`,
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
        return settings.local().sentBy;
      },
      // sip.js types its own class here, and calls only `authenticate` and `toString`.
      authenticationFactory: () => settings.credentials() as DigestAuthentication,
      transportAccessor: () => settings.transport,
    },
    delegate,
  );
  // For each new request sip.js compares it with all of the last 32 s; the guard finds merged ones in one step.
  Object.assign(core.userAgentServers, { values: () => [].values() });
  return core;
}
