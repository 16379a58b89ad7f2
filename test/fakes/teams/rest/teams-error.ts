/** An error as the Bot Connector and Graph answer it. */
export class TeamsError extends Error {
  readonly status: number;
  readonly code: string;
  /** Whether only a mistake of the client brings it about. */
  readonly isOffence: boolean;

  constructor(status: number, code: string, message: string, isOffence = false) {
    super(message);
    this.status = status;
    this.code = code;
    this.isOffence = isOffence;
  }
}

/** A request that no correct client makes. */
export function offence(message: string, code = 'BadSyntax'): TeamsError {
  return new TeamsError(400, code, message, true);
}
