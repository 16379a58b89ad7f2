/** An error of the vendor's API: a status, a code for programs and a text for people. */
export class VendorError extends Error {
  readonly status: number;
  readonly code: string;
  /** Seconds after which to try again; null: never. */
  readonly retryAfterS: number | null;

  constructor(status: number, code: string, message: string, retryAfterS: number | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

export function notFound(what: string): VendorError {
  return new VendorError(404, `${what}_not_found`, `There is no such ${what}`);
}
