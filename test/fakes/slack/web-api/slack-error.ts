/**
 * How Slack refuses: status 200, `ok: false` and a word (https://docs.slack.dev/apis/web-api/#responses). `more` are
 * further fields of the answer.
 */
export class SlackError extends Error {
  readonly more: Readonly<Record<string, unknown>>;

  constructor(error: string, more: Readonly<Record<string, unknown>> = {}) {
    super(error);
    this.name = 'SlackError';
    this.more = more;
  }
}

/** An argument that the method does not have, lacks, or cannot read. */
export function invalidArguments(message: string): SlackError {
  return new SlackError('invalid_arguments', { response_metadata: { messages: [`[ERROR] ${message}`] } });
}
