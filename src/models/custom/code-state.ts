/** Follows a text of Markdown, character by character: whether the next one is within code. */
export class CodeState {
  #fence: { readonly mark: string; readonly length: number } | null = null;
  /** Length of the run of backticks that opened a span of code; 0: none is open. A span ends with its line. */
  #span = 0;
  /** The run of backticks or tildes that is being read. */
  #run = { mark: '', length: 0, isAtHead: false };
  /** Only spaces are in the line so far. */
  #isAtHead = true;

  get isCode(): boolean {
    this.#endRun();
    return this.#fence !== null || this.#span > 0;
  }

  take(character: string): void {
    if (character === this.#run.mark) {
      this.#run.length += 1;
      return;
    }
    this.#endRun();
    if (character === '`' || (character === '~' && this.#isAtHead))
      this.#run = { mark: character, length: 1, isAtHead: this.#isAtHead };
    if (character === '\n') this.#span = 0;
    this.#isAtHead = character === '\n' || (this.#isAtHead && character === ' ');
  }

  #endRun(): void {
    const { mark, length, isAtHead } = this.#run;
    if (length === 0) return;
    this.#run = { mark: '', length: 0, isAtHead: false };
    if (this.#fence) {
      if (isAtHead && mark === this.#fence.mark && length >= this.#fence.length) this.#fence = null;
    } else if (isAtHead && length >= 3) this.#fence = { mark, length };
    else if (mark === '`' && (this.#span === 0 || this.#span === length))
      this.#span = this.#span ? 0 : length;
  }
}
