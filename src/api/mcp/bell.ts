/** Something for one to wait for. A ring that nobody waited for is heard by the next who does. */
export class Bell {
  #rang = false;
  #waiting: (() => void) | null = null;

  ring(): void {
    this.#rang = true;
    this.#waiting?.();
    this.#waiting = null;
  }

  /** Resolves at the next ring, or at once when it rang since this was last called. */
  async heard(): Promise<void> {
    if (!this.#rang)
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    this.#rang = false;
  }
}
