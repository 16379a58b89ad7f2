/** A platform that delivers over webhooks. */
export interface TakesWebhooks {
  readonly endpoints: readonly WebhookEndpoint[];
  /** Request headers that `refuses` and `webhook` read, in lower case. */
  readonly headers: readonly string[];
  /** Headers that replies may set, in lower case. Those of the connection, the body and cookies cannot be set. */
  readonly replyHeaders?: readonly string[];
  /**
   * Checks a POST before its body is read. Returns the reply when the request cannot be from the platform, null when it
   * may be.
   */
  refuses(request: Pick<WebhookRequest, 'endpoint' | 'loginKey' | 'header'>): WebhookReply | null;
  /** Handles a webhook request. Never rejects. Nothing is acknowledged before it is stored. */
  webhook(request: WebhookRequest): Promise<WebhookReply>;
}

/** A URL that a platform calls. */
export interface WebhookEndpoint {
  /**
   * Below `/api/<platform>/`; with a leading slash, the whole path, where the platform's own set-up lays it down.
   * `{login_key}` stands for the key of the login concerned (`keyOfLogin`).
   */
  readonly path: string;
  /** `get` also takes HEAD. */
  readonly methods: readonly ('get' | 'post')[];
  /** Body of the replies with status 200. */
  readonly answers: 'text' | 'json';
  /** Limit of the body, where `refuses` cannot tell strangers. Default: 1 MB. */
  readonly bodyLimitBytes?: number;
}

/** Path of the webhook of each login. */
export const LOGIN_WEBHOOK = 'webhook/{login_key}';

export interface WebhookRequest {
  readonly method: 'get' | 'head' | 'post';
  /** The endpoint's path, as declared. */
  readonly endpoint: string;
  /** The login being called; '' if the endpoint's path has no `{login_key}`. */
  readonly loginKey: string;
  readonly query: Readonly<Record<string, string>>;
  /** Returns a header by its lower-case name; '' when absent. */
  header(name: string): string;
  /** The raw bytes: signatures are computed over them. */
  readonly body: Uint8Array;
  /** Aborts when the platform disconnects before the reply is complete. */
  readonly signal: AbortSignal;
}

/** Statuses of replies, with what they tell the platform. */
export const WEBHOOK_STATUSES = {
  200: 'Stored',
  400: 'The request is invalid',
  401: 'The request does not come from the platform',
  403: 'The request does not come from the platform',
  404: 'Unknown login',
  503: 'The event could not be stored; the platform should send it again',
} as const;

export type WebhookStatus = keyof typeof WEBHOOK_STATUSES;

/** A reply with text, which another status than 200 sends as an error's `detail`, or with a value sent as JSON. */
export type WebhookReply = TextReply | ValueReply;

interface TextReply extends AnyReply {
  readonly status: WebhookStatus;
  readonly text: string;
}

interface ValueReply extends AnyReply {
  readonly status: 200;
  readonly json: unknown;
}

interface AnyReply {
  readonly headers?: Readonly<Record<string, string>>;
  /** Called once with what became of the reply. */
  readonly ended?: (end: ReplyEnd) => void;
}

/**
 * What became of a reply. `written`: the connection has taken all of it. `unwritten`: the platform had disconnected
 * before, and got nothing. `unclear`: it disconnected meanwhile, and may have got it.
 */
export type ReplyEnd = 'written' | 'unwritten' | 'unclear';
