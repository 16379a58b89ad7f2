import type { SpeechFault, SpeechFaultKind } from '../speech-fault.ts';

export type LocalSpeechProblem = 'busy' | 'timed_out' | 'crashed' | 'failed' | 'not_installed';

const FAULT_KINDS: Readonly<Record<LocalSpeechProblem, SpeechFaultKind>> = {
  busy: 'session_cap',
  timed_out: 'unreachable',
  crashed: 'unreachable',
  failed: 'refused',
  not_installed: 'refused',
};
const MAX_WORDS_CHARS = 300;

/** Speech on this machine failed. The message is for the people who set it up. */
export class LocalSpeechError extends Error {
  override readonly name = 'LocalSpeechError';
  readonly problem: LocalSpeechProblem;

  constructor(problem: LocalSpeechProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }

  get fault(): SpeechFault {
    return { kind: FAULT_KINDS[this.problem], words: this.message.slice(0, MAX_WORDS_CHARS) };
  }
}
