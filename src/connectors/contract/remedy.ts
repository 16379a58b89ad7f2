/** What a person can do about a failure, for the words in which the platform tells it. */
export interface Remedy {
  readonly words: RegExp;
  /** Plain text: one or two sentences. */
  readonly suggestion: string;
}
