export type LocalSpeechProblem = 'busy' | 'too_long' | 'timed_out' | 'failed' | 'not_installed';

/** Speech on this machine failed. The message is for the people who set it up. */
export class LocalSpeechError extends Error {
  override readonly name = 'LocalSpeechError';
  readonly problem: LocalSpeechProblem;

  constructor(problem: LocalSpeechProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}
