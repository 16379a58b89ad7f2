/** How Telegram refuses; the texts are those of its own server (github.com/tdlib/telegram-bot-api, Client.cpp). */
export class ApiError extends Error {
  readonly status: number;
  /** Seconds; 0: no time is given. */
  readonly retryAfterS: number;
  /** The supergroup that the group has become. */
  readonly migrateTo: number | undefined;

  constructor(status: number, description: string, retryAfterS = 0, migrateTo?: number) {
    super(description);
    this.migrateTo = migrateTo;
    this.status = status;
    this.retryAfterS = retryAfterS;
  }
}

export function badRequest(description: string): ApiError {
  return new ApiError(400, `Bad Request: ${description}`);
}
