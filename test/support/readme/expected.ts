const PARTS = /(?<gap>\s+)|(?<name><[a-z_ ]+>)|(?<anything>…)|(?<text>[^\s<…]+|<)/g;

/** A printed result as a pattern. Spaces do not matter, `…` stands for anything, `<name>` is a value that the reader notes. */
export class Expected {
  readonly #names: string[] = [];
  readonly #pattern: RegExp;

  constructor(result: string) {
    const parts = [...result.trim().matchAll(PARTS)].map(({ groups = {} }) => {
      if (groups.gap !== undefined) return '\\s*';
      if (groups.anything !== undefined) return '[^]*?';
      if (groups.text !== undefined) return groups.text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      this.#names.push(groups.name!);
      return '([^\\s"\',]+)';
    });
    this.#pattern = new RegExp(parts.join(''));
  }

  /** The noted values by their names, `<…>` included; null if something else was printed. */
  valuesIn(output: string): ReadonlyMap<string, string> | null {
    const found = this.#pattern.exec(output);
    return found && new Map(this.#names.map((name, i) => [name, found[i + 1]!]));
  }
}
