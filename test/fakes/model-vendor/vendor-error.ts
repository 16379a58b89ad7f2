/** An answer other than 2xx, thrown. An object goes out as JSON, a text as plain text. */
export class VendorError extends Error {
  override readonly name = 'VendorError';
  readonly status: number;
  readonly body: object | string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: object | string, headers: Readonly<Record<string, string>> = {}) {
    super(`${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}
