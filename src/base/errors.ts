/**
 * All errors that a client can receive: the `code`, its HTTP status and the text sent as `detail`. Codes, statuses and
 * texts are a contract (specification, "Errors").
 */
const ERROR_TABLE = {
  unauthorized: { status: 401, text: 'Invalid or missing API key' },
  email_not_verified: { status: 403, text: 'Email address is not verified' },
  invalid_login: { status: 401, text: 'Invalid email or password' },
  forbidden: { status: 403, text: 'This credential may not use this endpoint' },
  invalid_origin: { status: 403, text: 'Invalid Origin header' },
  invalid_host: { status: 403, text: 'Invalid Host header' },
  cross_site: { status: 403, text: 'Requests from other sites are refused' },
  signup_closed: { status: 403, text: 'Sign-up is closed' },
  invalid_invite_code: { status: 403, text: 'Invalid invite code' },
  file_not_yours: { status: 403, text: 'File belongs to another user' },
  platform_not_granted: { status: 403, text: 'This client has no access to that platform' },
  not_found: { status: 404, text: 'Not found' },
  call_not_found: { status: 404, text: 'Call not found' },
  did_not_found: { status: 404, text: 'Phone number not found' },
  identity_not_found: { status: 404, text: 'Identity not found' },
  identity_provider_not_found: { status: 404, text: 'Identity provider not found' },
  trunk_not_found: { status: 404, text: 'No SIP trunk configured' },
  agent_not_found: { status: 404, text: 'Agent not found' },
  key_not_found: { status: 404, text: 'API key not found' },
  member_not_found: { status: 404, text: 'Platform account not found' },
  message_not_found: { status: 404, text: 'Message not found' },
  conversation_not_found: { status: 404, text: 'Conversation not found' },
  delivery_not_found: { status: 404, text: 'Delivery not found' },
  authorization_not_found: { status: 404, text: 'MCP authorization not found' },
  file_not_found: { status: 404, text: 'Unknown file token' },
  malformed_request: { status: 400, text: 'Malformed HTTP request' },
  webhook_invalid: { status: 400, text: 'The webhook request is invalid' },
  webhook_not_signed: { status: 401, text: 'The webhook request does not come from the platform' },
  webhook_forbidden: { status: 403, text: 'The webhook request does not come from the platform' },
  webhook_unknown: { status: 404, text: 'Unknown webhook' },
  webhook_not_stored: { status: 503, text: 'The event could not be stored' },
  client_unknown: { status: 400, text: 'Unknown client' },
  redirect_unknown: { status: 400, text: 'The redirect URI is not registered for this client' },
  parameter_repeated: { status: 400, text: 'The client sent a parameter more than once' },
  consent_outdated: { status: 400, text: 'This page has expired; return to the client and start again' },
  file_source: { status: 400, text: 'Provide exactly one of url or bytes_b64' },
  url_blocked: { status: 400, text: 'Invalid URL / SSRF blocked' },
  agent_is_default: { status: 400, text: 'The default agent cannot be deleted' },
  would_orphan: {
    status: 400,
    text: 'A key, client or platform account belongs to this agent only; add it to another agent first',
  },
  owner_unknown: { status: 400, text: 'The owner of this bot is unknown' },
  owner_is_linked: {
    status: 400,
    text: 'Only bots have an owner; a connection belongs to the person who linked it',
  },
  owner_in_channel: { status: 400, text: 'A channel has several people; choose a direct conversation' },
  bot_token_malformed: { status: 400, text: 'This is not a bot token of the platform' },
  bot_refused: { status: 400, text: 'The platform refused the bot token' },
  no_provider: { status: 400, text: 'No provider is set' },
  bot_token_not_found: { status: 404, text: 'Bot token not found' },
  probe_not_found: { status: 404, text: 'No probe has been started' },
  no_conversation: { status: 404, text: 'No active conversation' },
  connection_not_found: { status: 404, text: 'Connection not found' },
  oauth_not_offered: { status: 404, text: 'No such platform, or it is not connected by OAuth' },
  method_not_allowed: { status: 405, text: 'Method not allowed' },
  meeting_url_required: { status: 400, text: 'meeting_url required' },
  invalid_meeting_url: { status: 400, text: 'meeting_url is not a meeting of this platform' },
  login_ambiguous: { status: 400, text: 'Several logins can place this call; choose one with login_id' },
  login_not_found: { status: 404, text: 'login_id is not a login with which this agent can place the call' },
  no_sip_trunk: { status: 400, text: 'No SIP trunk configured' },
  platform_not_configured: { status: 400, text: 'Platform is not configured' },
  capability_missing: { status: 400, text: 'The platform does not support this' },
  tts_not_configured: { status: 400, text: 'Hosted TTS not configured' },
  voice_config_not_found: { status: 404, text: 'Voice config not found' },
  voice_config_disabled: { status: 400, text: 'Voice config is disabled; enable it first' },
  voice_config_wrong_kind: { status: 400, text: 'Voice config is of the other kind' },
  voice_config_changed: { status: 409, text: 'Voice config was changed by another request; try again' },
  model_key_refused: { status: 400, text: 'The model provider refused the key' },
  voice_key_refused: { status: 400, text: 'The speech provider refused the key' },
  voice_engine_missing: { status: 400, text: 'The speech engine is not installed' },
  wrong_password: { status: 400, text: 'Current password is wrong' },
  invalid_mail_token: { status: 400, text: 'Invalid or expired token' },
  no_email_address: { status: 400, text: 'Account has no email address' },
  sign_in_unknown: {
    status: 400,
    text: 'This sign-in has expired or was started in another browser; start again',
  },
  sign_in_refused: { status: 400, text: 'The identity provider did not confirm the sign-in' },
  connect_unknown: {
    status: 400,
    text: 'This attempt to connect has expired, was used, or was started elsewhere; start again',
  },
  connect_refused: { status: 400, text: 'The platform did not approve the connection' },
  pairing_invalid: { status: 400, text: 'The server did not say what it wants; start again there' },
  server_invalid: { status: 400, text: 'This is not the URL of a server' },
  server_blocked: { status: 400, text: 'The server is not on the public internet' },
  connection_taken: {
    status: 409,
    text: 'This account of the platform is connected to another account of the gateway',
  },
  connection_differs: {
    status: 409,
    text: 'You signed in to another account of the platform than the one to reconnect',
  },
  connection_lost: { status: 409, text: 'The connection to the platform must be renewed' },
  last_sign_in: {
    status: 409,
    text: 'This is the only way to sign in; set a password or link another identity first',
  },
  identity_taken: { status: 409, text: 'Identity is linked to another account' },
  email_in_use: {
    status: 409,
    text: 'An account with this address exists; sign in to it and link the identity there',
  },
  platform_not_connected: { status: 409, text: 'No active WebSocket connection' },
  headers_too_slow: { status: 408, text: 'Request headers did not arrive in time' },
  body_too_slow: { status: 408, text: 'Request body did not arrive in time' },
  call_not_ringing: { status: 409, text: 'Call is not ringing' },
  call_not_active: { status: 409, text: 'Call is not active' },
  request_running: { status: 409, text: 'A request with this Idempotency-Key is still running' },
  request_interrupted: {
    status: 409,
    text: 'The first request with this Idempotency-Key was interrupted; its outcome is unknown',
  },
  delivery_not_failed: { status: 409, text: 'Only a failed delivery can be replayed' },
  bot_token_taken: { status: 409, text: 'Bot token is already registered' },
  cap_reached: { status: 409, text: 'The account has reached its limit' },
  number_taken: { status: 409, text: 'Phone number is already listed' },
  email_taken: { status: 409, text: 'Email address is already in use' },
  file_gone: { status: 410, text: 'Gone' },
  file_too_large: { status: 413, text: 'File exceeds max size' },
  body_too_large: { status: 413, text: 'Request body exceeds the size limit' },
  range_not_satisfiable: { status: 416, text: 'Range not satisfiable' },
  validation_failed: { status: 422, text: 'The request is invalid' },
  websocket_required: { status: 426, text: 'This path accepts only WebSocket connections' },
  websocket_version: { status: 426, text: 'This WebSocket version is not supported' },
  headers_too_large: { status: 431, text: 'Request headers exceed the size limit' },
  too_much_speech: { status: 429, text: 'Too much speech is queued on this call' },
  too_many_messages: { status: 429, text: 'Too many messages are queued' },
  too_many_streams: { status: 429, text: 'Too many streams on this call' },
  too_many_sessions: { status: 429, text: 'Too many MCP sessions are in use' },
  too_many_requests: { status: 429, text: 'Too many requests at once' },
  too_many_waiters: { status: 429, text: 'Too many pending long-polls' },
  too_many_keys: { status: 429, text: 'Too many recent requests with an Idempotency-Key' },
  too_many_slots: { status: 429, text: 'Too many reserved uploads' },
  too_many_deliveries: { status: 429, text: 'Too many deliveries are queued' },
  too_many_attempts: { status: 429, text: 'Too many attempts' },
  too_many_transfers: { status: 429, text: 'Too many concurrent file transfers' },
  too_many_numbers: { status: 409, text: 'The account has reached its limit of phone numbers' },
  too_many_trunk_changes: { status: 429, text: 'A SIP trunk may be changed 30 times in 15 minutes' },
  call_limit: { status: 429, text: 'Concurrent call limit reached' },
  budget_spent: { status: 429, text: 'The budget is used up' },
  internal_error: { status: 500, text: 'Internal error' },
  identity_provider_failed: { status: 502, text: 'The identity provider did not answer as expected' },
  url_failed: { status: 502, text: 'The URL could not be fetched' },
  send_failed: { status: 502, text: 'Failed to send message' },
  model_provider_failed: { status: 502, text: 'The model provider did not answer as expected' },
  voice_provider_failed: { status: 502, text: 'The speech provider did not answer as expected' },
  speech_failed: { status: 502, text: 'Hosted speech has failed on this call' },
  platform_failed: { status: 502, text: 'The platform did not answer as expected' },
  overloaded: { status: 503, text: 'The gateway is full; try again later' },
  no_room_for_body: { status: 503, text: 'Too many request bodies are being received; try again later' },
  not_ready: { status: 503, text: 'The gateway is not ready' },
  disk_full: { status: 507, text: 'The disk is full' },
  storage_full: { status: 507, text: 'The file storage is full' },
  deadline_exceeded: { status: 504, text: 'The operation did not finish in time' },
  http_version: { status: 505, text: 'Only HTTP/1.1 is supported' },
} as const satisfies Record<string, { status: number; text: string }>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** The HTTP status of a code. */
export type StatusOf<Code extends ErrorCode> = (typeof ERROR_TABLE)[Code]['status'];

/** All codes, in alphabetical order. */
export const ERROR_CODES = Object.keys(ERROR_TABLE).sort() as ErrorCode[];

/**
 * An operational error that is reported to the client; any other error is a bug and answers 500. It has no stack: the
 * code is sufficient, and capturing the stack would take longer than everything else in a refused request.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;

  /** `detail` replaces the table's text where the specification leaves the wording open. */
  constructor(code: ErrorCode, detail?: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail ?? ERROR_TABLE[code].text, options);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'GatewayError';
    this.code = code;
    this.status = ERROR_TABLE[code].status;
  }
}

/** When to ask a full gateway again, in seconds. */
export const OVERLOADED_S = 5;

/** Suffix of errors after which a message may still have arrived. */
export const MAY_HAVE_ARRIVED = 'the message may still have arrived';

/** The specification's text, followed by the reason. */
export function sendFailed(reason: string): GatewayError {
  return new GatewayError('send_failed', `Failed to send message: ${reason}`);
}

/** A failure, with what the person can do about it. */
export class SuggestedRemedy extends GatewayError {
  readonly suggestion: string;

  constructor({ code, message }: GatewayError, suggestion: string) {
    super(code, message);
    this.suggestion = suggestion;
  }
}

/** Returns whether a write failed because the disk is full. The log reports a full disk only once. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'disk_full';
}

/** An error that passes. `retryAfterS` is sent as `Retry-After`, in whole seconds. */
export class RetryLater extends GatewayError {
  readonly retryAfterS: number;

  constructor(code: ErrorCode, retryAfterS: number, detail?: string) {
    super(code, detail);
    this.retryAfterS = Math.max(1, Math.ceil(retryAfterS));
  }
}

/** Too many guesses, or too much work at once. */
export class TooManyAttempts extends RetryLater {
  constructor(retryAfterS: number, detail?: string) {
    super('too_many_attempts', retryAfterS, detail);
  }
}

/** What all accounts share is used up, whatever the one that asks has used. */
export class Overloaded extends RetryLater {
  constructor(detail?: string) {
    super('overloaded', OVERLOADED_S, detail);
  }
}
