/** A platform that delivers over webhooks. */
export interface TakesWebhooks {
  readonly methods: readonly WebhookRequest['method'][];
  /** Headers that `refuses` and `webhook` read, in lower case. */
  readonly headers: readonly string[];
  /**
   * Checks a POST before its body is read. Returns the reply when the request cannot be from the platform, null when it
   * may be.
   */
  refuses(request: Pick<WebhookRequest, 'loginKey' | 'header'>): WebhookReply | null;
  /** Handles a webhook request. Never rejects. Nothing is acknowledged before it is stored. */
  webhook(request: WebhookRequest): Promise<WebhookReply>;
}

export interface WebhookRequest {
  readonly method: 'get' | 'post';
  /** Last path segment: the login being called. */
  readonly loginKey: string;
  readonly query: Readonly<Record<string, string>>;
  /** Returns a header by its lower-case name; '' when absent. */
  header(name: string): string;
  /** The raw bytes: signatures are computed over them. */
  readonly body: Uint8Array;
}

export interface WebhookReply {
  readonly status: 200 | 400 | 401 | 403 | 404 | 503;
  readonly text: string;
}
