/** How Discord refuses a request: status, its own code, and its words (https://docs.discord.com/developers/topics/opcodes-and-status-codes). */
export class DiscordError extends Error {
  readonly status: number;
  /** 0: a general error of HTTP. */
  readonly code: number;
  /** Of 50035: what is wrong, nested as the body is. */
  readonly errors: FormErrors | null;
  /** Seconds after which it may be tried again; null: none are given. */
  readonly retryAfterS: number | null;

  constructor(status: number, code: number, message: string, more: ErrorDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = more.errors ?? null;
    this.retryAfterS = more.retryAfterS ?? null;
  }

  get body(): object {
    return {
      message: this.message,
      code: this.code,
      ...(this.errors ? { errors: this.errors } : {}),
      ...(this.retryAfterS === null ? {} : { retry_after: this.retryAfterS }),
    };
  }
}

interface ErrorDetails {
  readonly errors?: FormErrors;
  readonly retryAfterS?: number;
}

export interface FormError {
  readonly code: string;
  readonly message: string;
}

/** Errors of fields, each under `_errors` of its field. */
export interface FormErrors {
  _errors?: FormError[];
  [field: string]: FormErrors | FormError[] | undefined;
}

/** Refusals that need no more than their words. */
export const REFUSALS = {
  notFound: () => new DiscordError(404, 0, '404: Not Found'),
  wrongMethod: () => new DiscordError(405, 0, '405: Method Not Allowed'),
  unauthorized: () => new DiscordError(401, 0, '401: Unauthorized'),
  userAgent: () => new DiscordError(403, 40333, 'internal network error'),
  unknownApplication: () => new DiscordError(404, 10002, 'Unknown Application'),
  unknownChannel: () => new DiscordError(404, 10003, 'Unknown Channel'),
  unknownGuild: () => new DiscordError(404, 10004, 'Unknown Guild'),
  unknownMember: () => new DiscordError(404, 10007, 'Unknown Member'),
  unknownMessage: () => new DiscordError(404, 10008, 'Unknown Message'),
  unknownInteraction: () => new DiscordError(404, 10062, 'Unknown interaction'),
  unknownUser: () => new DiscordError(404, 10013, 'Unknown User'),
  unknownVoiceState: () => new DiscordError(404, 10065, 'Unknown Voice State'),
  slowMode: (retryAfterS: number) =>
    new DiscordError(429, 20016, 'This action cannot be performed due to slowmode rate limit', {
      retryAfterS,
    }),
  tooLarge: () => new DiscordError(413, 40005, 'Request entity too large'),
  missingAccess: () => new DiscordError(403, 50001, 'Missing Access'),
  dmAction: () => new DiscordError(403, 50003, 'Cannot execute action on a DM channel'),
  foreignMessage: () => new DiscordError(403, 50005, 'Cannot edit a message authored by another user'),
  empty: () => new DiscordError(400, 50006, 'Cannot send an empty message'),
  unreachableUser: () => new DiscordError(403, 50007, 'Cannot send messages to this user'),
  missingPermissions: () => new DiscordError(403, 50013, 'Missing Permissions'),
  noMutualGuild: () =>
    new DiscordError(403, 50278, 'Cannot send messages to this user due to having no mutual guilds'),
  contentType: (type: string) =>
    new DiscordError(400, 50035, `Invalid Form Body: Content-Type ${type} is not supported`),
  redirectUri: () => new DiscordError(400, 50035, 'Invalid OAuth2 redirect_uri'),
  apiVersion: () => new DiscordError(400, 50041, 'Invalid API version provided'),
  badJson: () => new DiscordError(400, 50109, 'The request body contains invalid JSON.'),
  threadExists: () => new DiscordError(400, 160004, 'A thread has already been created for this message'),
  threadLocked: () => new DiscordError(403, 160005, 'Thread is locked'),
} as const satisfies Readonly<Record<string, (about: never) => DiscordError>>;

/** A body whose field is wrong. `path`: from the outermost field inwards. */
export function invalidField(path: readonly (string | number)[], error: FormError): DiscordError {
  return invalidForm([{ path, error }]);
}

export function invalidForm(
  faults: readonly { readonly path: readonly (string | number)[]; readonly error: FormError }[],
): DiscordError {
  const errors: FormErrors = {};
  for (const { path, error } of faults) {
    let at = errors;
    for (const name of path) {
      at[name] ??= {};
      at = at[name] as FormErrors;
    }
    at._errors ??= [];
    at._errors.push(error);
  }
  return new DiscordError(400, 50035, 'Invalid Form Body', { errors });
}
